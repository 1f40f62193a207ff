// The glue that Emscripten writes, as far as it is used.
import type { Factory } from '../variants.js';

declare const createSardonyx: Factory;
export default createSardonyx;

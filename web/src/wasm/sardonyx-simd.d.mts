// The glue that Emscripten writes, as far as it is used.
import type { Instance } from '../native.js';
import type { GlueOptions } from '../variants.js';

export default function createSardonyx(options: GlueOptions): Promise<Instance>;

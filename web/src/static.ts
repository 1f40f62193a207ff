// `import 'sardonyx/static'` beside 'sardonyx' makes the package work where import() is refused: in service workers. It
// brings all that runs sessions of one thread; only .wasm files are still fetched.
import { bring } from './late.js';
import { lateModules } from './late_modules.js';
import relaxed from './wasm/sardonyx-relaxed.mjs';
import simd from './wasm/sardonyx-simd.mjs';

bring({ ...lateModules, simd: { default: simd }, relaxed: { default: relaxed } });

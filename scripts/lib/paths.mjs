// Where things are: the clone, and the cache outside it that keeps toolchain, protobuf and test models.
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../fetch-common.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const cache = cacheFolder();

/** The wasm variants by name: those with threads are built with the preset wasm-simd-threads, the others wasm-simd. */
export const variants = ['simd', 'simd-threads', 'relaxed', 'relaxed-threads'];
/** Those that `npm run build` and the tests make: what a user of the package gets. */
export const defaultVariants = variants;

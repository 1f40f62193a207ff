// Where things are: the clone, and the cache outside it that keeps toolchain, protobuf and test models.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const cache =
  process.env.SARDONYX_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sardonyx');

/** The wasm variants by name, each with its CMake preset `wasm-<name>`. */
export const variants = ['simd', 'simd-threads', 'relaxed', 'relaxed-threads'];
/** Those that `npm run build` makes when it is not told. */
export const defaultVariants = ['simd'];

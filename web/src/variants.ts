// The builds of the WebAssembly module, and which one is taken here.
import type { Instance } from './native.js';

export interface GlueOptions {
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): object;
}

export interface Variant {
  readonly name: string;
  /** Literal URLs and imports: bundlers find the files by them, and take them along. */
  wasm(): URL;
  glue(): Promise<{ default(options: GlueOptions): Promise<Instance> }>;
}

const kSimd: Variant = {
  name: 'simd',
  wasm: () => new URL('./wasm/sardonyx-simd.wasm', import.meta.url),
  glue: () => import('./wasm/sardonyx-simd.mjs'),
};

export interface Choice {
  readonly variant: Variant;
  readonly threads: number;
  /** For people: the reason of this choice. */
  readonly why: string;
}

/** @param numThreads what was asked for; 0 or undefined: no wish */
export function chooseVariant(numThreads: number | undefined): Choice {
  const asked = numThreads !== undefined && numThreads > 1 ? `; ${numThreads} threads were asked for` : '';
  return { variant: kSimd, threads: 1, why: `the only build of this version is SIMD with one thread${asked}` };
}

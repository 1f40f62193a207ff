// The package with the WebAssembly inside: for bundlers that leave files behind, single files, file: pages and service
// workers (which refuse import()). It is the build with SIMD and one thread; as text it is a third larger than the file,
// and cannot compile while it downloads.
import { env, type WasmFlags } from './env.js';
import { provideGlue } from './module.js';
import * as glue from './wasm/sardonyx-simd.mjs';
import base64 from './wasm/sardonyx-simd-embedded.mjs';

provideGlue('simd', glue);

let given: WasmFlags['wasmBinary'];
let embedded: Uint8Array | undefined;

function decoded(): Uint8Array {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

// Decoded when the first session is made, not when the package is imported.
Object.defineProperty(env.wasm, 'wasmBinary', {
  configurable: true,
  enumerable: true,
  get() {
    if (given) return given;
    embedded ??= decoded();
    return embedded;
  },
  set(value: WasmFlags['wasmBinary']) {
    given = value;
  },
});

export * from './index.js';

// The package with the WebAssembly inside: for bundlers that leave files behind, single files, file: pages and service
// workers (which refuse import()). It is the build with SIMD and one thread, compressed; it cannot compile while it
// downloads.
import { OnnxError } from './errors.js';
import { bring } from './late.js';
import { lateModules } from './late_modules.js';
import { provideBinary } from './module.js';
import simd from './wasm/sardonyx-simd.mjs';
import base64 from './wasm/sardonyx-simd-embedded.mjs';

bring({ ...lateModules, simd: { default: simd } });

// Unpacked when the first session is made, not when the package is imported.
provideBinary(async () => {
  if (typeof DecompressionStream === 'undefined') {
    const needs = 'needs DecompressionStream (Chrome 80, Firefox 113, Safari 16.4, Node.js 18)';
    throw new OnnxError('unsupported_platform', `sardonyx/embedded ${needs}; sardonyx does not`);
  }
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
});

export * from './names.js';
export * as default from './names.js';

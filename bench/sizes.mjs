// What a page loads before it can run a model: the files of each runtime, raw, with gzip and with brotli.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sizesOf } from '../scripts/check-sizes.mjs';
import { cacheFolder, putFile, sha256 } from '../scripts/fetch-common.mjs';
import { root } from '../scripts/lib/paths.mjs';

const kOurs = ['simd', 'simd-threads', 'relaxed', 'relaxed-threads'];
const kOrt = ['ort.wasm.min.mjs', 'ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm'];

const glue = (variant) => `dist/wasm/sardonyx-${variant}.mjs`;
// Of a session in a worker, as sessions with threads are: its script names the glue of all builds.
const kWorker = ['remote_engine', 'workers', 'engine_worker'].map((name) => `dist/${name}.js`).concat(kOurs.map(glue));

/** The files of each choice, as paths from the clone. */
export function filesToRun() {
  const ours = kOurs.map((variant) => {
    const more = variant.endsWith('-threads') ? kWorker : [glue(variant)];
    const files = ['dist/index.js', 'dist/names.js', 'dist/sardonyx.js', ...more, `dist/wasm/sardonyx-${variant}.wasm`];
    return { name: `Sardonyx, ${variant}`, files };
  });
  const theirs = {
    name: 'onnxruntime-web, wasm',
    files: kOrt.map((file) => `node_modules/onnxruntime-web/dist/${file}`),
  };
  return [...ours, theirs];
}

// Brotli takes half a minute for 14 MB: what was compressed once is remembered.
function sizesOnce(bytes) {
  const memo = join(cacheFolder(), 'bench', 'sizes', `${sha256(bytes)}.json`);
  if (existsSync(memo)) return JSON.parse(readFileSync(memo, 'utf8'));
  const sizes = sizesOf(bytes);
  putFile(memo, JSON.stringify(sizes));
  return sizes;
}

/** [{name, raw, gzip, brotli, files: {path: {raw, gzip, brotli}}}] in bytes, of what is built. */
export function measureSizes() {
  const chosen = filesToRun().filter(({ files }) => files.every((file) => existsSync(join(root, file))));
  return chosen.map(({ name, files }) => {
    const each = Object.fromEntries(files.map((file) => [file, sizesOnce(readFileSync(join(root, file)))]));
    const total = (kind) => Object.values(each).reduce((sum, sizes) => sum + sizes[kind], 0);
    return { name, raw: total('raw'), gzip: total('gzip'), brotli: total('brotli'), files: each };
  });
}

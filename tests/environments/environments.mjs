// What the tests of environments share: the packed package, installed into an app of its own beside runtimes from npm.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kTypes, makeModel, node, port, tensorType } from '../js/make_model.mjs';
import { goodModel } from '../models/tiny_model.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What goodModel() makes of ones. */
export const kAnswer = '2,3,4,0,0,0';

// x uint8 times weights of 8 bits: 7 bits in a bell's shape, 7 bits, 8 bits, and their extremes; with the weights.
const kBytes = { m: 13, k: 83, n: 17 };
function bytesModel() {
  const { m, k, n } = kBytes;
  let seed = 1;
  const random = (range) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return (seed >>> 8) % range;
  };
  const weights = {
    bell: () => random(23) + random(23) + random(23) + random(23) - 44,
    seven: () => random(128) - 64,
    eight: () => random(256) - 128,
    extreme: () => (random(2) ? 127 : -128),
  };
  const kinds = Object.keys(weights);
  const matrix = tensorType('int8', [k, n]);
  return makeModel({
    node: kinds.flatMap((kind) => [
      node('MatMulInteger', ['x', kind], [`${kind}_y`]),
      node('Identity', [kind], [`${kind}_w`]),
    ]),
    initializer: kinds.map((name) => {
      const raw_data = new Uint8Array(Int8Array.from({ length: k * n }, weights[name]).buffer);
      return { name, data_type: kTypes.int8, dims: [k, n], raw_data };
    }),
    input: [port('x', tensorType('uint8', [m, k]))],
    output: kinds.flatMap((kind) => [port(`${kind}_y`, tensorType('int32', [m, n])), port(`${kind}_w`, matrix)]),
  });
}

/**
 * Source: exactBytes(InferenceSession, Tensor, source of bytes.onnx) resolves to 'exact', or to what was not. Engines
 * differ in what their relaxed dots of bytes do beyond 7 bits.
 */
export const kExactBytes = `
async function exactBytes(InferenceSession, Tensor, source) {
  const { m, k, n } = ${JSON.stringify(kBytes)};
  const session = await InferenceSession.create(source);
  const x = Uint8Array.from({ length: m * k }, (_, i) => (i % 5 === 0 || i < k ? 255 : i * 37));
  const results = await session.run({ x: new Tensor('uint8', x, [m, k]) });
  const wrong = [];
  for (const name of Object.keys(results).filter((name) => name.endsWith('_y'))) {
    const w = results[name.replace('_y', '_w')].data;
    for (let i = 0; i < m * n; i++) {
      let sum = 0;
      for (let q = 0; q < k; q++) sum += x[Math.floor(i / n) * k + q] * w[q * n + (i % n)];
      if (results[name].data[i] !== sum) wrong.push(name + '[' + i + ']');
    }
  }
  await session.release();
  return wrong.length === 0 ? 'exact' : session.info.variant + ' is wrong in ' + wrong.slice(0, 9);
}
`;

/**
 * A folder with good.onnx, bytes.onnx and node_modules: the package, and `packages` as npm names them. more: other
 * fields of its package.json.
 * @returns {{folder: string, remove: () => void}}
 */
export function installApp(packages = [], more = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sardonyx-environments-'));
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }));
  const dependencies = { sardonyx: `file:${filename}` };
  const app = { name: 'app', type: 'module', private: true, dependencies, ...more };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(app));
  const install = ['install', '--no-audit', '--no-fund', ...packages];
  execFileSync('npm', install, { cwd: folder, stdio: 'pipe' });
  writeFileSync(join(folder, 'good.onnx'), goodModel());
  writeFileSync(join(folder, 'bytes.onnx'), bytesModel());
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

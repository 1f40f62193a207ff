// Time to the first session of silero_vad, cold: each measurement in a fresh process, Sardonyx and onnxruntime-web in
// turn; reading, compiling and instantiating the wasm are in it.
//   node bench/create.mjs [--pairs 9] [--model FILE]
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fetchZoo } from '../scripts/fetch-zoo.mjs';
import { kRuntimes, loadRuntime, saveResults } from './runtimes.mjs';
import { comparePairs, pairsLine } from './statistics.mjs';

const { values: options } = parseArgs({
  options: {
    pairs: { type: 'string', default: '9' },
    model: { type: 'string', default: 'silero_vad_v5.onnx' },
    child: { type: 'string' },
  },
});
const self = fileURLToPath(import.meta.url);

// In the fresh process: prints {import, create} in ms.
async function measureHere(runtime, path) {
  const start = performance.now();
  const { InferenceSession } = await loadRuntime(runtime);
  const loaded = performance.now();
  await InferenceSession.create(path, { executionProviders: ['wasm'] });
  console.log(JSON.stringify({ import: loaded - start, create: performance.now() - loaded }));
  process.exit(0); // background compilation is not waited for
}

function measure(runtime, path) {
  const r = spawnSync(process.execPath, [self, '--child', runtime, '--model', path], { encoding: 'utf8' });
  if (r.status !== 0) throw new Error(`${runtime}: ${r.stderr}`);
  return JSON.parse(r.stdout.trim().split('\n').at(-1));
}

function main() {
  const zoo = fetchZoo({ names: [options.model], log: console.error });
  const path = join(zoo, options.model);
  for (const name of kRuntimes) measure(name, path); // the files are in the system's cache from here on
  const measured = [];
  for (let i = 0; i < Number(options.pairs); i++) measured.push(kRuntimes.map((name) => measure(name, path)));
  const create = comparePairs(measured.map((pair) => pair.map((m) => m.create)));
  const total = comparePairs(measured.map((pair) => pair.map((m) => m.import + m.create)));
  console.log(`${options.model}, cold, ${measured.length} pairs:  Sardonyx, onnxruntime-web, ratio of pairs (spread)`);
  console.log(`${pairsLine('create', create)}, of medians ${create.ratioOfMedians.toFixed(2)}x`);
  console.log(`${pairsLine('import and create', total)}, of medians ${total.ratioOfMedians.toFixed(2)}x`);
  console.log(saveResults('create', { model: options.model, create, total, measured }));
}

if (options.child) await measureHere(options.child, options.model);
else main();

// Runs the zoo's models on Sardonyx and onnxruntime-web in turn, A B A B, both on one thread in this process:
//   node bench/models.mjs [--pairs 9] [--filter REGEX] [--all]     (--all: isnet_quint8 too)
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchZoo, zooNames } from '../scripts/fetch-zoo.mjs';
import { feedsOf, kZoo } from '../tests/models/feeds.mjs';
import { kRuntimes, loadRuntime, saveResults } from './runtimes.mjs';
import { comparePairs, pairsLine } from './statistics.mjs';

const kWarmUp = 600; // ms, at least three runs: the engine's first tier is left behind
const kStretch = 40; // ms: a measurement repeats a run until it is at least that long

const { values: options } = parseArgs({
  options: { pairs: { type: 'string', default: '9' }, filter: { type: 'string' }, all: { type: 'boolean' } },
});
const pairCount = Number(options.pairs);
const wanted = new RegExp(options.filter ?? '');
const zoo = fetchZoo({ names: zooNames({ heavy: options.all }), log: console.error });

async function timeOf(count, work) {
  const begin = performance.now();
  for (let i = 0; i < count; i++) await work();
  return (performance.now() - begin) / count;
}

async function warmUp(work) {
  const begin = performance.now();
  let runs = 0;
  while (runs < 3 || performance.now() - begin < kWarmUp) {
    await work();
    runs++;
  }
}

// The pairs of one case: [ours, theirs] in ms.
async function measure(runtimes, file, zooCase) {
  const sessions = [];
  const works = [];
  for (const { InferenceSession, Tensor } of runtimes) {
    const session = await InferenceSession.create(join(zoo, file), { executionProviders: ['wasm'] });
    const feeds = feedsOf(zooCase, Tensor);
    sessions.push(session);
    works.push(() => session.run(feeds));
  }
  for (const work of works) await warmUp(work);
  const counts = [];
  for (const work of works) counts.push(Math.max(1, Math.ceil(kStretch / (await timeOf(2, work)))));
  const pairs = [];
  for (let i = 0; i < pairCount; i++) {
    pairs.push([await timeOf(counts[0], works[0]), await timeOf(counts[1], works[1])]);
  }
  for (const session of sessions) await session.release();
  return pairs;
}

const runtimes = [];
for (const name of kRuntimes) runtimes.push(await loadRuntime(name));
console.log(`${''.padEnd(52)}${'Sardonyx'.padStart(11)}${`ORT ${runtimes[1].version}`.padStart(11)}  ratio (spread)`);
const results = [];
for (const [file, cases] of Object.entries(kZoo)) {
  for (const zooCase of cases) {
    const label = `${file.replace('.onnx', '')} ${zooCase.name}`;
    if (!wanted.test(label) || (zooCase.heavy && !options.all)) continue;
    const pairs = await measure(runtimes, file, zooCase);
    const summary = comparePairs(pairs);
    results.push({ label, ...summary, pairs });
    console.log(pairsLine(label, summary));
  }
}
console.log(saveResults('models', { peer: `onnxruntime-web ${runtimes[1].version}`, results }));

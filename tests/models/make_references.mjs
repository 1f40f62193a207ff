// Writes reference/*.json: digests of what onnxruntime-node computes on the zoo, and how far onnxruntime-web is from it.
// Run by hand: SARDONYX_PEERS=FOLDER node tests/models/make_references.mjs, where FOLDER/node_modules has
// onnxruntime-node and onnxruntime-web 1.30.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchZoo, zooNames } from '../../scripts/fetch-zoo.mjs';
import { kSileroChains, sileroChain, wakeWordChain } from './chains.mjs';
import { digestOf, distance } from './digest.mjs';
import { feedsOf, kZoo } from './feeds.mjs';

const peers = createRequire(join(process.env.SARDONYX_PEERS ?? '.', 'package.json'));
const node = peers('onnxruntime-node');
const web = peers('onnxruntime-web');
web.env.wasm.numThreads = 1;
node.env.logLevel = 'error';
web.env.logLevel = 'error';

const zoo = fetchZoo({ names: zooNames({ heavy: true }), log: console.error });
const reference = fileURLToPath(new URL('reference/', import.meta.url));
mkdirSync(reference, { recursive: true });

const sessions = new Map();
// A runner over one of the two runtimes; sessions stay open between calls. The provider has to be named: both
// packages register themselves with the same onnxruntime-common.
const runner = (ort, provider) => async (file, feeds) => {
  const key = `${provider}:${file}`;
  const options = { executionProviders: [provider] };
  if (!sessions.has(key)) sessions.set(key, await ort.InferenceSession.create(join(zoo, file), options));
  return sessions.get(key).run(feeds);
};
const runNode = runner(node, 'cpu');
const runWeb = runner(web, 'wasm');

function digests(expected, actual) {
  const entries = Object.entries(expected).map(([name, tensor]) => {
    const webDistance = Number(distance(actual[name], tensor).toPrecision(3));
    return [name, { ...digestOf(tensor), webDistance }];
  });
  return Object.fromEntries(entries);
}

function write(name, content) {
  const runtimes = { reference: `onnxruntime-node ${node.env.versions.node}`, web: web.env.versions.web };
  writeFileSync(join(reference, `${name}.json`), `${JSON.stringify({ ...runtimes, ...content })}\n`);
  for (const [where, outputs] of Object.entries(content.cases)) {
    const far = Object.entries(outputs).map(
      ([k, d]) => `${k} [${d.dims}] max ${d.maxAbs.toPrecision(3)} web ${d.webDistance}`,
    );
    console.log(`${name} ${where}: ${far.slice(0, 6).join('; ')}`);
  }
}

for (const [file, cases] of Object.entries(kZoo)) {
  const found = {};
  for (const zooCase of cases) {
    const expected = await runNode(file, feedsOf(zooCase, node.Tensor));
    found[zooCase.name] = digests(expected, await runWeb(file, feedsOf(zooCase, web.Tensor)));
  }
  write(file.replace('.onnx', ''), { cases: found });
}

for (const chain of kSileroChains) {
  const expected = await sileroChain(chain, runNode, node.Tensor);
  const actual = await sileroChain(chain, runWeb, web.Tensor);
  const calls = expected.map((outputs, i) => [`call ${i}`, digests(outputs, actual[i])]);
  write(`chain_silero_${chain.name}`, { cases: Object.fromEntries(calls) });
}
const wakeWord = digests(await wakeWordChain(runNode, node.Tensor), await wakeWordChain(runWeb, web.Tensor));
write('chain_wake_word', { cases: { '2 s': wakeWord } });

// Every case of the zoo against onnxruntime-node's digests, the reader's text, and the chains with state.
// SARDONYX_TEST_ALL=1 adds the heavy ones.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readText } from '../../examples/ctc.mjs';
import { fetchZoo, zooNames } from '../../scripts/fetch-zoo.mjs';
import { kSileroChains, sileroChain, wakeWordChain } from './chains.mjs';
import { compareWithDigest } from './digest.mjs';
import { feedsOf, kZoo } from './feeds.mjs';
import { InferenceSession, Tensor } from './package.mjs';

const heavy = process.env.SARDONYX_TEST_ALL === '1';
const zoo = fetchZoo({ names: zooNames({ heavy }), log: (line) => console.error(line) });
const kReader = 'ch_PP-OCRv4_rec_infer.onnx';
const referenceOf = (name) =>
  JSON.parse(readFileSync(new URL(`reference/${name}.json`, import.meta.url), 'utf8')).cases;

const sessions = new Map();
async function sessionOf(file) {
  if (!sessions.has(file)) sessions.set(file, await InferenceSession.create(join(zoo, file)));
  return sessions.get(file);
}
const run = async (file, feeds) => (await sessionOf(file)).run(feeds);

after(async () => {
  for (const session of sessions.values()) await session.release();
});

// Holds the outputs of one run or more (rows of [place, outputs, digests]) against their digests, all problems in one
// message; says on the test's line how far the farthest is.
function check(t, rows) {
  const problems = [];
  let far = 0;
  for (const [place, outputs, digests] of rows) {
    assert.deepEqual(Object.keys(outputs).sort(), Object.keys(digests).sort(), place);
    for (const [name, digest] of Object.entries(digests)) {
      const { distance, problem } = compareWithDigest(outputs[name], digest);
      if (problem) problems.push(`${place}: output ${name} ${problem}`);
      far = Math.max(far, distance);
    }
  }
  assert.deepEqual(problems, []);
  t.diagnostic(`farthest ${far.toExponential(1)}`);
}

for (const [file, cases] of Object.entries(kZoo)) {
  test(file, { skip: cases[0].heavy && !heavy && 'heavy: SARDONYX_TEST_ALL=1 runs it' }, async (t) => {
    const reference = referenceOf(file.replace('.onnx', ''));
    assert.deepEqual(
      Object.keys(reference),
      cases.map((c) => c.name),
    );
    for (const zooCase of cases) {
      await t.test(zooCase.name, async (tt) => {
        check(tt, [[zooCase.name, await run(file, feedsOf(zooCase, Tensor)), reference[zooCase.name]]]);
      });
    }
  });
}

test('the reader reads the text that was drawn', async () => {
  const dictionary = readFileSync(join(zoo, 'ppocr_keys_v1.txt'), 'utf8');
  const [zooCase] = kZoo[kReader];
  const [output] = Object.values(await run(kReader, feedsOf(zooCase, Tensor)));
  assert.equal(readText(output, dictionary), 'HELLO WASM 257');
});

for (const chain of kSileroChains) {
  test(`silero ${chain.name}: 20 calls with the state fed back`, async (t) => {
    const reference = Object.values(referenceOf(`chain_silero_${chain.name}`));
    const calls = await sileroChain(chain, run, Tensor);
    assert.equal(calls.length, reference.length);
    check(
      t,
      calls.map((outputs, i) => [`call ${i}`, outputs, reference[i]]),
    );
  });
}

test('wake word: spectrogram, embeddings and score of 2 s of audio', async (t) => {
  check(t, [['2 s', await wakeWordChain(run, Tensor), referenceOf('chain_wake_word')['2 s']]]);
});

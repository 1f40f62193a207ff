// Memory stays where it is: over many runs of a session, and over many sessions of a model that come and go.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { fetchZoo } from '../../scripts/fetch-zoo.mjs';
import { feedsOf, kZoo } from './feeds.mjs';
import { InferenceSession, Tensor } from './package.mjs';
import { goodModel, initializer, modelBytes, node, port } from './tiny_model.mjs';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');

const kSilero = 'silero_vad_v5.onnx';
const kMel = 'melspectrogram.onnx';
const zoo = fetchZoo({ names: [kSilero, kMel], log: (line) => console.error(line) });
const [sileroCase] = kZoo[kSilero];

// Bytes outside JavaScript's heap that are still held: the heaps of WebAssembly, the data of tensors.
async function heldBytes() {
  for (let i = 0; i < 3; i++) {
    collect();
    await sleep(10);
  }
  return process.memoryUsage().external;
}

// The session's memory after ten runs is what it is after all of them. A leak of one value per run would show.
async function staysOver(runs, session, feeds) {
  for (let i = 0; i < 10; i++) await session.run(feeds);
  const before = session.memory();
  for (let i = 10; i < runs; i++) await session.run(feeds);
  assert.deepEqual(session.memory(), before);
  assert.ok(before.heap > 0);
}

for (const [file, zooCase] of [
  [kSilero, sileroCase],
  [kMel, kZoo[kMel][1]],
]) {
  test(`1000 runs of ${file} ${zooCase.name} leave the heap where it was`, async () => {
    const session = await InferenceSession.create(join(zoo, file));
    await staysOver(1000, session, feedsOf(zooCase, Tensor));
    await session.release();
  });
}

test('20000 runs of a tiny model leave the heap where it was', async () => {
  const session = await InferenceSession.create(goodModel());
  await staysOver(20_000, session, { x: new Tensor('float32', new Float32Array(6), [2, 3]) });
  await session.release();
});

test('1000 runs that fail leave the heap where it was', async () => {
  const session = await InferenceSession.create(join(zoo, kSilero));
  const good = feedsOf(sileroCase, Tensor);
  const bad = { ...good, state: new Tensor('float32', new Float32Array(2 * 64), [2, 1, 64]) };
  const failing = {
    run: () =>
      session.run(bad).then(
        () => assert.fail('it runs'),
        () => {},
      ),
    memory: () => session.memory(),
  };
  await session.run(good);
  await staysOver(1000, failing, bad);
  await session.run(good);
  await session.release();
});

test('50 times create, run and release leave memory where it was', async () => {
  const cycle = async () => {
    const session = await InferenceSession.create(join(zoo, kSilero));
    await session.run(feedsOf(sileroCase, Tensor));
    const { heap } = session.memory();
    await session.release();
    return heap;
  };
  let heap = 0;
  for (let i = 0; i < 10; i++) heap = await cycle();
  const before = await heldBytes();
  for (let i = 10; i < 50; i++) assert.equal(await cycle(), heap);
  const after = await heldBytes();
  assert.ok(after - before < heap, `${after - before} bytes more are held, a session's heap has ${heap}`);
});

// 1x1 convolutions, then a classifier with its weights transposed: 40 MB, packed where they lie.
function heavyModel() {
  const channels = 1024;
  const classes = 4096;
  const square = new Float32Array(channels * channels).fill(1 / channels);
  const dense = new Float32Array(classes * channels).fill(1 / channels);
  const convolutions = [0, 1, 2, 3, 4, 5].map((i) => node('Conv', [`x${i}`, `w${i}`], [`x${i + 1}`]));
  return modelBytes({
    node: [
      ...convolutions,
      node('Flatten', ['x6'], ['flat']),
      { ...node('Gemm', ['flat', 'dense'], ['y']), attribute: [{ name: 'transB', type: 2, i: 1 }] },
    ],
    input: [port('x0', [1, channels, 1, 1])],
    output: [port('y', [1, classes])],
    initializer: [
      ...convolutions.map((_, i) => initializer(`w${i}`, [channels, channels, 1, 1], square)),
      initializer('dense', [classes, channels], dense),
    ],
  });
}

test('a model of 40 MB takes its file and little more, while it is loaded too', async () => {
  const model = heavyModel();
  const session = await InferenceSession.create(model);
  const { heap } = session.memory();
  assert.ok(heap < 1.15 * model.length, `the heap has ${heap} bytes, the file ${model.length}`);
  const { y } = await session.run({ x0: new Tensor('float32', new Float32Array(1024).fill(2), [1, 1024, 1, 1]) });
  for (const value of y.data) assert.ok(Math.abs(value - 2) < 1e-4);
  await session.release();
});

// A table, and as many nodes with names as long as exporters write for a decoder.
function longModel() {
  const rows = 4096;
  const columns = 1024;
  const name = (i) => `/network/model/layers.${i >> 5}/self_attn/rotary_emb/steps.${i}/output_0`;
  const types = ['Ceil', 'Floor', 'Round'];
  const steps = Array.from({ length: 1500 }, (_, i) => node(types[i % 3], [name(i)], [name(i + 1)], `${name(i)}/step`));
  return modelBytes({
    node: [node('Gather', ['table', 'places'], [name(0)]), ...steps, node('Neg', [name(steps.length)], ['y'])],
    input: [port('places', ['count'], 7)],
    output: [port('y', ['count', columns])],
    initializer: [initializer('table', [rows, columns], new Float32Array(rows * columns).fill(3))],
  });
}

test('a model of 17 MB and 1500 nodes takes at most 1.2 times its file', async () => {
  const model = longModel();
  const session = await InferenceSession.create(model);
  const { heap } = session.memory();
  assert.ok(heap <= 1.2 * model.length, `the heap has ${heap} bytes, the file ${model.length}`);
  const { y } = await session.run({ places: new Tensor('int64', BigInt64Array.of(5n), [1]) });
  assert.deepEqual(new Set(y.data), new Set([-3]));
  await session.release();
});

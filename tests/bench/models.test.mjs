// The models that the benchmark makes: they are what they should be, and run here as they run in onnxruntime-web.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { lightModel } from '../../bench/make/light.mjs';
import { mobilenetModel } from '../../bench/make/mobilenet.mjs';
import { heWeights } from '../../bench/make/onnx.mjs';
import { tensorsOf } from '../../bench/runtimes.mjs';
import { disagreement } from '../../bench/statistics.mjs';
import { configurations } from '../../bench/summary.mjs';
import { transformerModels } from '../../bench/transformers.mjs';
import { fetchSuite } from '../../scripts/fetch-suite.mjs';
import { ModelProto } from '../conformance/schema.mjs';
import { makeValues } from '../models/feeds.mjs';
import { InferenceSession, Tensor } from '../models/package.mjs';

const { folder } = fetchSuite({ log: (line) => console.error(line) });
const ort = await import('onnxruntime-web');
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'error';
const kDims = [1, 3, 224, 224];

async function outputOf(runtime, bytes, name) {
  const session = await runtime.InferenceSession.create(bytes, { executionProviders: ['wasm'] });
  const values = makeValues('u11', 3 * 224 * 224);
  const results = await session.run({ [name]: new runtime.Tensor('float32', values, kDims) });
  await session.release();
  return [...Object.values(results)[0].data];
}

async function runsAlike(bytes, name) {
  const ours = await outputOf({ InferenceSession, Tensor }, bytes.slice(), name);
  const theirs = await outputOf(ort, bytes.slice(), name);
  assert.equal(ours.length, 1000);
  assert.ok(ours.some((value) => value !== ours[0]));
  assert.ok(disagreement([ours], [theirs]) < 1e-3);
}

test('weights: uniform, of the variance 2 / fan-in, the same for a seed', () => {
  const values = heWeights(100_000, 50, 3);
  const mean = values.reduce((a, b) => a + b) / values.length;
  const variance = values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length;
  assert.ok(Math.abs(mean) < 3e-3);
  assert.ok(Math.abs(variance / (2 / 50) - 1) < 0.02);
  assert.deepEqual(values.slice(0, 9), heWeights(9, 50, 3));
  assert.notDeepEqual(values.slice(0, 9), heWeights(9, 50, 4));
});

for (const [name, input] of [
  ['squeezenet', 'data_0'],
  ['shufflenet', 'gpu_0/data_0'],
]) {
  test(`light ${name}: weights for constants, nothing else changed`, async () => {
    const path = join(folder, 'light', `light_${name}.onnx`);
    const bytes = lightModel(path);
    const { graph } = ModelProto.decode(bytes);
    const weights = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
    assert.equal(graph.node.filter(({ op_type }) => op_type === 'ConstantOfShape').length, 0);
    for (const node of graph.node.filter(({ op_type }) => op_type === 'Conv')) {
      const { dims, raw_data } = weights.get(node.input[1]);
      assert.equal(dims.length, 4);
      assert.equal(raw_data.length, 4 * dims.map(Number).reduce((a, b) => a * b));
    }
    assert.deepEqual(
      graph.input.map(({ name }) => name),
      [input],
    );
    assert.deepEqual(lightModel(path), bytes);
    await runsAlike(bytes, input);
  });
}

test('MobileNetV2: 52 convolutions, 10 residuals, 3.5 million weights', async () => {
  const bytes = mobilenetModel();
  const { graph } = ModelProto.decode(bytes);
  const count = (type) => graph.node.filter(({ op_type }) => op_type === type).length;
  assert.deepEqual([count('Conv'), count('Clip'), count('Add'), count('Gemm')], [52, 35, 10, 1]);
  // Keras's MobileNetV2 has 3,538,984 parameters, four of them for each of 17,056 channels' batch norms; here are biases.
  const values = graph.initializer.reduce((sum, { raw_data }) => sum + raw_data.length / 4, 0);
  assert.equal(values - 2, 3_538_984 - 4 * 17_056 + 17_056);
  await runsAlike(bytes, 'x');
});

test('transformers: tokens are the same for every runtime, and within the vocabulary', () => {
  const feeds = [
    { name: 'input_ids', dims: [2, 50], kind: 'tokens', below: 7 },
    { name: 'position_ids', dims: [1, 2], kind: 'i64s', value: 256 },
    { name: 'mask', dims: [3], kind: 'any', type: 'int64' },
    { name: 'past', dims: [1, 2], kind: 'u11' },
  ];
  const [ours, theirs] = [Tensor, ort.Tensor].map((kind) => tensorsOf(feeds, kind));
  const values = [...ours.input_ids.data].map(Number);
  assert.deepEqual(values, [...theirs.input_ids.data].map(Number));
  assert.equal(new Set(values).size, 7);
  assert.ok(values.every((value) => value >= 0 && value < 7));
  assert.deepEqual([...ours.position_ids.data], [256n, 256n]);
  assert.deepEqual([...ours.mask.data], [1n, 1n, 1n]);
  assert.deepEqual([...ours.past.data], [...theirs.past.data]);
});

test('transformers: what is missing is said, and their ratios are not in the mean of the networks', () => {
  const said = [];
  const models = transformerModels((line) => said.push(line));
  assert.ok(models.some(({ name }) => name === 'isnet_quint8'));
  assert.equal(said.length, models.length === 9 ? 0 : 1);
  assert.ok(models.every(({ group, feeds }) => group === 'transformers' && feeds.length > 0));
  const ratio = (median) => [{ against: 'onnxruntime-web', median }];
  const run = { env: 'node', variant: 'simd', threads: 1 };
  const runs = [
    { ...run, group: 'light', model: 'a', ratios: ratio(2) },
    { ...run, group: 'zoo', model: 'b', ratios: ratio(8) },
    { ...run, group: 'transformers', model: 'c', ratios: ratio(1) },
  ];
  const [{ mean, worst }] = configurations({ runs });
  assert.ok(Math.abs(mean - 4) < 1e-12);
  assert.equal(worst.model, 'a');
});

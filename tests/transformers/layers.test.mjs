// Quantised models layer by layer against onnxruntime-web: what differs in the end comes from roundings that fall the other
// way, and from nothing else. With every quantisation an output of its own, which keeps both from fusing past it, the
// first one whose 8-bit values are not all the same may differ in one of 5,000, and by one step.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as ort from 'onnxruntime-web';
import { tensorsOf } from '../../bench/runtimes.mjs';
import { kMiniLm } from '../../bench/transformers.mjs';
import * as sardonyx from '../../dist/index.js';
import { cacheFolder } from '../../scripts/fetch-common.mjs';
import { ModelProto } from '../conformance/schema.mjs';
import { realModels, unpackModels } from './app.mjs';

const models = mkdtempSync(join(tmpdir(), 'sardonyx-layers-'));
const kUint8 = 2; // TensorProto.DataType
const kLength = 9;

before(() => unpackModels(models));
after(() => rmSync(models, { recursive: true }));

/** The model with every DynamicQuantizeLinear's 8-bit tensor as an output too: [bytes, their names]. */
function quantisationsShown(path) {
  const model = ModelProto.decode(readFileSync(path));
  const names = model.graph.node.filter((n) => n.op_type === 'DynamicQuantizeLinear').map(({ output }) => output[0]);
  for (const name of names) model.graph.output.push({ name, type: { tensor_type: { elem_type: kUint8 } } });
  return [ModelProto.encode(model).finish(), names];
}

async function resultsOf({ InferenceSession, Tensor, env }, bytes, feeds) {
  env.wasm.numThreads = 1;
  const session = await InferenceSession.create(bytes.slice(), { executionProviders: ['wasm'] });
  const tensors = Object.entries(tensorsOf(feeds, Tensor)).filter(([name]) => session.inputNames.includes(name));
  const results = await session.run(Object.fromEntries(tensors));
  await session.release();
  return results;
}

async function checkLayers(path, feeds, least) {
  const [bytes, names] = quantisationsShown(path);
  assert.ok(names.length >= least, `${names.length} quantisations`);
  const ours = await resultsOf(sardonyx, bytes, feeds);
  const theirs = await resultsOf(ort, bytes, feeds);
  for (const name of names) {
    const [a, b] = [ours[name].data, theirs[name].data];
    assert.ok(new Set(a).size > 20, name);
    const steps = a.map((value, i) => Math.abs(value - b[i])).filter((step) => step > 0);
    assert.ok(
      steps.every((step) => step === 1),
      name,
    );
    assert.ok(steps.length <= a.length / 5000, `${name}: ${steps.length} of ${a.length} differ`);
    if (steps.length > 0) return;
  }
}

const inputs = [
  { name: 'input_ids', dims: [1, kLength], kind: 'tokens', below: 100 },
  { name: 'attention_mask', dims: [1, kLength], kind: 'i64s', value: 1 },
];
const kinds = { name: 'token_type_ids', dims: [1, kLength], kind: 'i64s', value: 0 };
for (const [name, file] of [
  ['bert', 'model_quantized'],
  ['bert', 'model_uint8'],
  ['classifier', 'model_quantized'],
  ['tagger', 'model_quantized'],
]) {
  test(`${name}, ${file}`, () => checkLayers(join(models, name, 'onnx', `${file}.onnx`), [...inputs, kinds], 8));
}

const real = process.env.SARDONYX_TEST_ALL ? realModels(cacheFolder()) : null;
test('MiniLM, 128 tokens', { skip: !real && 'npm run test:all, with models made by hand' }, () =>
  checkLayers(join(real, 'minilm/onnx/model_quantized.onnx'), kMiniLm, 24),
);

// `import 'sardonyx/ort-backend'`: the classes of onnxruntime-common run their sessions here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-common';
import '../../dist/ort_backend.js';
import { OnnxError, twoByTwo } from './make_model.mjs';

const a = new Tensor('float32', [1, 2, 3, 4], [2, 2]);
const b = new Tensor('float32', [10, 20, 30, 40], [2, 2]);

for (const executionProviders of [
  undefined,
  [],
  ['wasm'],
  ['cpu'],
  ['sardonyx'],
  [{ name: 'sardonyx' }],
  ['webgpu', 'wasm'],
]) {
  test(`executionProviders ${JSON.stringify(executionProviders)}`, async () => {
    const session = await InferenceSession.create(twoByTwo(), executionProviders ? { executionProviders } : {});
    assert.ok(session instanceof InferenceSession);
    assert.deepEqual(session.inputNames, ['a', 'b']);
    assert.deepEqual(session.outputMetadata[0], { name: 'sum', isTensor: true, type: 'float32', shape: ['n', 2] });
    const { sum, difference } = await session.run({ a, b });
    assert.ok(sum instanceof Tensor && difference instanceof Tensor);
    assert.deepEqual([...sum.data], [11, 22, 33, 44]);
    assert.deepEqual(Object.keys(await session.run({ a, b }, ['difference'])), ['difference']);
    const target = new Tensor('float32', new Float32Array(4), [2, 2]);
    await session.run({ a, b }, { sum: target });
    assert.deepEqual([...target.data], [11, 22, 33, 44]);
    await session.release();
  });
}

test('errors are ours', async () => {
  await assert.rejects(InferenceSession.create(new Uint8Array(9)), (error) => error instanceof OnnxError);
  const session = await InferenceSession.create(twoByTwo());
  const wrong = new Tensor('int32', [1, 2, 3, 4], [2, 2]);
  await assert.rejects(session.run({ a, b: wrong }), { code: 'invalid_input', message: /"b" must be float32/ });
  session.startProfiling();
  await session.run({ a, b });
  session.endProfiling();
  await session.release();
});

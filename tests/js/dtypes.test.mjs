// Every element type, and every kind of value, there and back through a model that changes nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  InferenceSession,
  identityModel,
  kTypes,
  makeModel,
  mapType,
  node,
  OnnxError,
  optionalType,
  port,
  sequenceType,
  Tensor,
  tensorType,
} from './make_model.mjs';

const Half = globalThis.Float16Array ?? Uint16Array;
const kArrays = {
  float32: Float32Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  float16: Half,
  float64: Float64Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  complex64: Float32Array,
  complex128: Float64Array,
  bfloat16: Uint16Array,
};
const kBits = { complex64: 64, complex128: 128, uint4: 4, int4: 4, float4e2m1: 4, uint2: 2, int2: 2 };

// Bytes that differ from each other, but make no NaN: their bits need not survive everywhere.
function pattern(type, size) {
  const array = kArrays[type] ?? Uint8Array;
  const bits = kBits[type] ?? array.BYTES_PER_ELEMENT * 8;
  const bytes = new Uint8Array(Math.ceil((size * bits) / 8));
  for (let i = 0; i < bytes.length; ++i) bytes[i] = type === 'bool' ? i % 2 : 1 + ((i * 13) % 57);
  return new array(bytes.buffer);
}

for (const type of Object.keys(kTypes).filter((name) => name !== 'string')) {
  test(`${type} goes through`, async () => {
    const session = await InferenceSession.create(identityModel(tensorType(type, ['n', 4])));
    assert.equal(session.inputMetadata[0].type, type);
    const data = pattern(type, 12);
    const { y } = await session.run({ x: new Tensor(type, data, [3, 4]) });
    assert.equal(y.type, type);
    assert.deepEqual(y.dims, [3, 4]);
    assert.equal(y.data.constructor, kArrays[type] ?? Uint8Array);
    const bytes = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('hex');
    assert.equal(bytes(y.data), bytes(data));
    assert.notEqual(y.data.buffer, data.buffer);
    await session.release();
  });
}

test('bytes of a bool other than 0 and 1 are true', async () => {
  const session = await InferenceSession.create(identityModel(tensorType('bool', [3])));
  const { y } = await session.run({ x: new Tensor('bool', Uint8Array.of(0, 255, 2), [3]) });
  assert.deepEqual(y.data, Uint8Array.of(0, 1, 1));
  await session.release();
});

test('strings keep every character', async () => {
  const session = await InferenceSession.create(identityModel(tensorType('string', [null])));
  const data = ['', 'naïve', '日本語', '🙂', 'a\0b'];
  const { y } = await session.run({ x: new Tensor(data) });
  assert.deepEqual(y.data, data);
  await session.release();
});

test('a view into a larger buffer is fed as what it shows', async () => {
  const session = await InferenceSession.create(identityModel(tensorType('float32', [2])));
  const all = Float32Array.of(1, 2, 3, 4);
  const { y } = await session.run({ x: new Tensor(all.subarray(1, 3)) });
  assert.deepEqual(y.data, Float32Array.of(2, 3));
  await session.release();
});

test('a sequence is an array of tensors', async () => {
  const session = await InferenceSession.create(identityModel(sequenceType(tensorType('int64', [null]))));
  assert.equal(session.inputMetadata[0].isTensor, false);
  const { y } = await session.run({ x: [new Tensor('int64', [1, 2]), new Tensor('int64', [3])] });
  assert.deepEqual(
    y.map((item) => [...item.data]),
    [[1n, 2n], [3n]],
  );
  assert.deepEqual((await session.run({ x: [] })).y, []);
  await assert.rejects(session.run({ x: [1] }), /input "x", item 0/);
  await session.release();
});

test('an optional is its value, or null', async () => {
  const type = optionalType(tensorType('float32', [null]));
  const session = await InferenceSession.create(identityModel(type));
  assert.deepEqual(session.inputNames, ['x']);
  const { y } = await session.run({ x: new Tensor('float32', [1, 2]) });
  assert.deepEqual(y.data, Float32Array.of(1, 2));
  assert.equal((await session.run({ x: null })).y, null);
  assert.equal((await session.run({})).y, null);
  await session.release();
});

test('a map is a Map', async () => {
  for (const [key, entries] of [
    [
      'int64',
      [
        [1n, 0.5],
        [7n, 2],
      ],
    ],
    [
      'string',
      [
        ['cat', 0.5],
        ['dog', 2],
      ],
    ],
  ]) {
    const session = await InferenceSession.create(identityModel(mapType(key, tensorType('float32', []))));
    const { y } = await session.run({ x: new Map(entries) });
    assert.deepEqual([...y], entries);
    await session.release();
  }
});

test('the wrong kind of value is refused, with what is wanted', async () => {
  const session = await InferenceSession.create(identityModel(tensorType('float32', [2])));
  for (const x of [[1, 2], Float32Array.of(1, 2), 'one', 1, new Map(), {}]) {
    await assert.rejects(session.run({ x }), (error) => {
      assert.ok(error instanceof OnnxError);
      assert.equal(error.code, 'invalid_input');
      assert.match(error.message, /input "x" takes a float32 tensor\[2\]/);
      return true;
    });
  }
  await session.release();
});

test('a tensor of another package is a tensor', async () => {
  const session = await InferenceSession.create(identityModel(tensorType('float32', [2])));
  const { y } = await session.run({ x: { type: 'float32', data: Float32Array.of(4, 5), dims: [2] } });
  assert.deepEqual(y.data, Float32Array.of(4, 5));
  assert.ok(y instanceof Tensor);
  await session.release();
});

test('an input with a default may be left out, and be replaced', async () => {
  const type = tensorType('float32', [2]);
  const w = { name: 'w', dims: [2], data_type: kTypes.float32, float_data: [10, 20] };
  const session = await InferenceSession.create(
    makeModel({
      node: [node('Add', ['x', 'w'], ['y'])],
      input: [port('x', type), port('w', type)],
      output: [port('y', type)],
      initializer: [w],
    }),
  );
  assert.deepEqual(session.inputNames, ['x']);
  const x = new Tensor('float32', [1, 2]);
  assert.deepEqual([...(await session.run({ x })).y.data], [11, 22]);
  assert.deepEqual([...(await session.run({ x, w: new Tensor('float32', [5, 6]) })).y.data], [6, 8]);
  assert.deepEqual([...(await session.run({ x })).y.data], [11, 22]);
  await session.release();
});

// Tensors: every way to make one, and every way that must fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OnnxError, Tensor } from './make_model.mjs';

function refuses(make, ...words) {
  assert.throws(make, (error) => {
    assert.ok(error instanceof OnnxError, `${error} is no OnnxError`);
    assert.equal(error.code, 'invalid_argument');
    for (const word of words) assert.match(error.message, word);
    return true;
  });
}

test('type, data and dims', () => {
  const data = Float32Array.of(1, 2, 3, 4, 5, 6);
  const tensor = new Tensor('float32', data, [2, 3]);
  assert.equal(tensor.type, 'float32');
  assert.deepEqual(tensor.dims, [2, 3]);
  assert.equal(tensor.size, 6);
  assert.equal(tensor.data, data); // not a copy
  assert.equal(tensor.location, 'cpu');
  assert.ok(tensor instanceof Tensor);
});

test('the type is told by the data', () => {
  const cases = [
    [Float32Array.of(1), 'float32'],
    [Float64Array.of(1), 'float64'],
    [Int8Array.of(1), 'int8'],
    [Uint8Array.of(1), 'uint8'],
    [Uint8ClampedArray.of(1), 'uint8'],
    [Int16Array.of(1), 'int16'],
    [Uint16Array.of(1), 'uint16'],
    [Int32Array.of(1), 'int32'],
    [Uint32Array.of(1), 'uint32'],
    [BigInt64Array.of(1n), 'int64'],
    [BigUint64Array.of(1n), 'uint64'],
    [['a'], 'string'],
    [[true], 'bool'],
  ];
  for (const [data, type] of cases) {
    const tensor = new Tensor(data);
    assert.equal(tensor.type, type);
    assert.deepEqual(tensor.dims, [1]);
  }
  assert.deepEqual(new Tensor([true, false]).data, Uint8Array.of(1, 0));
});

test('numbers become typed arrays', () => {
  assert.deepEqual(new Tensor('float32', [1, 2.5]).data, Float32Array.of(1, 2.5));
  assert.deepEqual(new Tensor('int64', [1, -2]).data, BigInt64Array.of(1n, -2n));
  assert.deepEqual(new Tensor('int64', [1n, -2n]).data, BigInt64Array.of(1n, -2n));
  assert.deepEqual(new Tensor('uint64', [7]).data, BigUint64Array.of(7n));
  assert.deepEqual(new Tensor('bool', [true, false, 1]).data, Uint8Array.of(1, 0, 1));
  refuses(() => new Tensor('int64', [1.5]), /1\.5/, /int64/);
  refuses(() => new Tensor('float32', [1, 'two']), /element 1/, /two/);
  refuses(() => new Tensor('float32', [1n]), /float32/);
});

test('half floats are bits, or numbers where the engine has them', () => {
  const tensor = new Tensor('float16', Uint16Array.of(0x3c00, 0x4000), [2]);
  if (globalThis.Float16Array) {
    assert.deepEqual([...tensor.data], [1, 2]);
    assert.deepEqual([...new Tensor('float16', [1, 2]).data], [1, 2]);
  } else {
    assert.deepEqual(tensor.data, Uint16Array.of(0x3c00, 0x4000));
    refuses(() => new Tensor('float16', [1, 2]), /float16/, /Uint16Array/);
  }
});

test('packed and complex types count elements, not array places', () => {
  assert.equal(new Tensor('int4', Uint8Array.of(0x21, 0x03), [3]).size, 3);
  assert.equal(new Tensor('uint2', Uint8Array.of(0b11100100), [2, 2]).size, 4);
  assert.equal(new Tensor('complex64', Float32Array.of(1, 2, 3, 4), [2]).size, 2);
  assert.deepEqual(new Tensor('complex128', Float64Array.of(1, 2)).dims, [1]);
  refuses(() => new Tensor('int4', Uint8Array.of(0, 0, 0), [3]), /length 3/, /needs 2/);
  refuses(() => new Tensor('int4', [1, 2], [2]), /int4/, /bits/);
});

test('what does not fit is refused', () => {
  refuses(() => new Tensor('float32', Float32Array.of(1, 2, 3), [2, 2]), /length 3/, /needs 4/);
  refuses(() => new Tensor('float32', Float32Array.of(1), [-1]), /dims\[0\]/, /-1/);
  refuses(() => new Tensor('float32', Float32Array.of(1), [1.5]), /1\.5/);
  refuses(() => new Tensor('float32', Float32Array.of(1), ['1']), /dims\[0\]/);
  refuses(() => new Tensor('float32', new Float32Array(0), [2 ** 30, 2 ** 30]), /too many/);
  refuses(() => new Tensor('float32', Float32Array.of(1), 1), /dims/);
  refuses(() => new Tensor('float33', Float32Array.of(1)), /float33/);
  refuses(() => new Tensor('float32', Float64Array.of(1)), /Float32Array/, /Float64Array/);
  refuses(() => new Tensor('float32'), /undefined/);
  refuses(() => new Tensor('string', Uint8Array.of(1)), /string/);
  refuses(() => new Tensor('string', ['a', 1]), /element 1/);
  refuses(() => new Tensor([]), /empty/);
  refuses(() => new Tensor([1]), /told from 1/);
  refuses(() => new Tensor({}), /an object/);
  refuses(() => new Tensor(null), /null/);
  refuses(() => new Tensor(new DataView(new ArrayBuffer(4))), /DataView/);
});

test('empty and scalar tensors', () => {
  assert.equal(new Tensor('float32', new Float32Array(0), [0, 3]).size, 0);
  assert.equal(new Tensor('int64', [5n], []).size, 1);
});

test('reshape shares the data', () => {
  const tensor = new Tensor('int32', Int32Array.of(1, 2, 3, 4), [4]);
  const square = tensor.reshape([2, 2]);
  assert.deepEqual(square.dims, [2, 2]);
  assert.equal(square.data, tensor.data);
  refuses(() => tensor.reshape([3]), /needs 3/);
});

test('getData(true) keeps what lies in the memory of the CPU, as in onnxruntime-common', async () => {
  const tensor = new Tensor('int32', [1, 2]);
  assert.equal(await tensor.getData(true), tensor.data);
  assert.equal(tensor.location, 'cpu');
});

test('a pinned buffer says so, and is a tensor as any other', async () => {
  const data = Float32Array.of(1, 2);
  const tensor = Tensor.fromPinnedBuffer('float32', data, [2, 1]);
  assert.deepEqual([tensor.location, tensor.type, tensor.dims, tensor.data], ['cpu-pinned', 'float32', [2, 1], data]);
  assert.equal(await tensor.getData(true), data);
  tensor.dispose();
  assert.equal(tensor.location, 'none');
  assert.deepEqual(
    Object.keys(new Tensor(data)),
    Object.keys(new Tensor(data)).filter((key) => key !== 'pinned'),
  );
});

test('articles fit the names', () => {
  assert.throws(() => new Tensor('int4', [1]), /^OnnxError: an int4 tensor .* in a Uint8Array$/);
  assert.throws(() => new Tensor('int8', new Map()), /^OnnxError: an int8 tensor takes an Int8Array, not a Map$/);
  assert.throws(
    () => new Tensor('uint8', new ArrayBuffer(1)),
    /a uint8 tensor takes a Uint8Array, not an ArrayBuffer$/,
  );
});

test('bigints are shown as such', () => {
  assert.throws(() => new Tensor('float32', [1n]), /element 0 of the data is 1n, which is no float32/);
  assert.throws(() => new Tensor('float32', [1], [1n]), /dims\[0\] is 1n; a dimension must be a whole number/);
});

test('dispose and getData', async () => {
  const tensor = new Tensor('int32', Int32Array.of(1, 2));
  assert.equal(await tensor.getData(), tensor.data);
  tensor.dispose();
  assert.equal(tensor.location, 'none');
  refuses(() => tensor.data, /disposed/);
  await assert.rejects(tensor.getData(), /disposed/);
  const other = new Tensor('int32', Int32Array.of(1));
  other[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  assert.equal(other.location, 'none');
});

test('the dims are a copy, and can be replaced', () => {
  const dims = [2];
  const tensor = new Tensor('int32', Int32Array.of(1, 2), dims);
  dims[0] = 3;
  assert.deepEqual(tensor.dims, [2]);
  tensor.dims = [1, 2];
  assert.deepEqual(tensor.dims, [1, 2]);
});

test('images need a browser', async () => {
  await assert.rejects(Tensor.fromImage({ width: 2, height: 2 }), OnnxError);
});

test('empty tensors may be as wide as the standard allows', () => {
  const empty = new Tensor('float32', [], [2 ** 62, 0]);
  assert.equal(empty.size, 0);
  assert.deepEqual(empty.dims, [2 ** 62, 0]);
  assert.equal(new Tensor('float32', [], [2 ** 52, 2 ** 52, 0]).size, 0);
  refuses(() => new Tensor('float32', [], [2 ** 62, 1]), /too many elements/);
  refuses(() => new Tensor('float32', [], [2 ** 63, 0]), /dims\[0\]/);
  refuses(() => new Tensor('int64', [1e300]), /element 0/);
});

// The suite's decoder and comparer, on messages that the onnx package wrote and values as it reads them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compareValues } from './compare.mjs';
import { decodeValue, optionalOf, sequenceOf, tensorOf } from './decode.mjs';
import { decodeFloat, kTypes, valuesOf } from './dtypes.mjs';
import { OptionalProto, SequenceProto, TensorProto } from './schema.mjs';

const fixtures = JSON.parse(readFileSync(new URL('data/decode_fixtures.json', import.meta.url), 'utf8'));
const bytes = (text) => Buffer.from(text, 'base64');
const kNumbers = { nan: Number.NaN, inf: Infinity, '-inf': -Infinity };
const tolerance = { rtol: 1e-3, atol: 1e-7 };

test('tensors of every type, in both encodings', () => {
  assert.equal(new Set(fixtures.tensors.map((f) => f.name)).size, kTypes.length - 1);
  for (const { name, message, dims, values } of fixtures.tensors) {
    const tensor = decodeValue(bytes(message), {});
    assert.deepEqual(tensor.dims, dims, name);
    const actual = [...valuesOf(tensor.type, tensor.data, 5)];
    const isNumber = typeof actual[0] !== 'string';
    const expected = values.map((v) => (isNumber ? (kNumbers[v] ?? Number(v)) : v));
    const whole = typeof actual[0] === 'bigint' ? values.map(BigInt) : expected;
    assert.deepEqual(actual, whole, `${name} ${tensor.type}`);
  }
});

test('every code of the 8 and 4 bit floats', () => {
  for (const [name, text] of Object.entries(fixtures.tables)) {
    const raw = new Uint8Array(bytes(text));
    const table = new Float32Array(raw.buffer);
    const ours = name
      .replace('_', '')
      .replace(/e8m0fnu/, 'e8m0')
      .replace(/e2m1fn/, 'e2m1');
    for (const [code, value] of table.entries()) {
      assert.ok(Object.is(decodeFloat(ours, code), value), `${name} ${code}: ${value}`);
    }
  }
});

test('sequences, optionals and maps', () => {
  const read = (name, message, decode) => decode(message.decode(bytes(fixtures.messages[name])));
  const one = { type: 'float32', dims: [2], data: Float32Array.of(1.5, 2.5) };
  const two = { type: 'int64', dims: [1, 1], data: BigInt64Array.of(7n) };
  assert.deepEqual(read('sequence', SequenceProto, sequenceOf), [one, two]);
  assert.deepEqual(read('nested', SequenceProto, sequenceOf), [[one, two], []]);
  assert.deepEqual(read('optional', OptionalProto, optionalOf), one);
  assert.deepEqual(read('optional_sequence', OptionalProto, optionalOf), [one, two]);
  assert.equal(read('empty_optional', OptionalProto, optionalOf), null);
  const maps = read('maps', SequenceProto, sequenceOf);
  assert.deepEqual(maps, [
    new Map([
      [3n, one],
      [-4n, two],
    ]),
    new Map([
      ['a', one],
      ['b', two],
    ]),
  ]);
});

test('a tensor whose length is not its shape is refused', () => {
  const message = TensorProto.fromObject({ data_type: 1, dims: [3], float_data: [1, 2] });
  assert.throws(() => tensorOf(message), /has 2 values, not 3/);
  assert.throws(() => tensorOf(TensorProto.fromObject({ data_type: 99 })), /unknown data_type 99/);
});

const f32 = (...data) => ({ type: 'float32', dims: [data.length], data: Float32Array.from(data) });
const i32 = (...data) => ({ type: 'int32', dims: [data.length], data: Int32Array.from(data) });

test('floats within rtol and atol of the expected value, NaN and infinities as themselves', () => {
  assert.equal(compareValues(f32(1.0009, Number.NaN, Infinity), f32(1, Number.NaN, Infinity), tolerance), '');
  assert.equal(compareValues(f32(0.5e-7), f32(0), tolerance), '');
  assert.match(compareValues(f32(1, 2.003), f32(1, 2), tolerance), /^\[1\] is 2\.00\d+, not 2$/);
  assert.match(compareValues(f32(2e-7), f32(0), tolerance), /\[0\]/);
  assert.equal(compareValues(f32(3), f32(0), { typesOnly: true }), '');
  assert.match(compareValues(f32(3, 4), f32(0), { typesOnly: true }), /has the shape/);
  assert.match(compareValues(f32(Infinity), f32(-Infinity), tolerance), /is Infinity, not -Infinity/);
  assert.match(compareValues(f32(1e30), f32(Infinity), tolerance), /not Infinity/);
  assert.match(compareValues(f32(Number.NaN), f32(0), tolerance), /is NaN, not 0/);
  assert.match(compareValues(f32(0), f32(Number.NaN), tolerance), /is 0, not NaN/);
});

test('everything else exactly: integers, types, shapes, lengths, kinds', () => {
  assert.equal(compareValues(i32(1000), i32(1000), tolerance), '');
  assert.match(compareValues(i32(1001), i32(1000), tolerance), /is 1001, not 1000/);
  assert.match(compareValues(i32(1), f32(1), tolerance), /is int32, not float32/);
  assert.match(compareValues({ ...f32(1, 2), dims: [1, 2] }, f32(1, 2), tolerance), /shape \[1,2\], not \[2\]/);
  assert.match(compareValues({ ...f32(1), dims: [2] }, f32(1, 2), tolerance), /has 1 values in its array, not 2/);
  assert.match(compareValues([f32(1)], [f32(1), f32(2)], tolerance), /has 1 elements, not 2/);
  assert.match(compareValues([f32(1), f32(3)], [f32(1), f32(2)], tolerance), /element 1 \[0\] is 3, not 2/);
  assert.match(compareValues(undefined, f32(1), tolerance), /is nothing, not a tensor/);
  assert.equal(compareValues(null, null, tolerance), '');
  assert.match(compareValues(new Map([['a', f32(1)]]), new Map([['b', f32(1)]]), tolerance), /has no key b/);
  const nibbles = (...data) => ({ type: 'int4', dims: [3], data: Uint8Array.from(data) });
  assert.equal(compareValues(nibbles(0x21, 0xf3), nibbles(0x21, 0x03), tolerance), '');
  assert.match(compareValues(nibbles(0x2f, 3), nibbles(0x21, 3), tolerance), /\[0\] is -1, not 1/);
});

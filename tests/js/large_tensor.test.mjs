// Tensors of half a gigabyte and more: their bits are more than 32-bit sizes count.
import assert from 'node:assert/strict';
import { freemem } from 'node:os';
import { test } from 'node:test';
import { InferenceSession, makeModel, node, port, Tensor, tensorType } from './make_model.mjs';

const skip = freemem() < 4e9 && 'less than 4 GB of memory are free';

test('a result of 2^29 bytes and some is whole', { skip }, async () => {
  const value = { name: 'value', type: 4, t: { data_type: 6, dims: [1], int32_data: [7] } };
  const session = await InferenceSession.create(
    makeModel({
      node: [node('ConstantOfShape', ['n'], ['y'], { attribute: [value] })],
      input: [port('n', tensorType('int64', [1]))],
      output: [port('y', tensorType('int32', ['n']))],
    }),
  );
  const size = 2 ** 27 + 3;
  const { y } = await session.run(new Tensor('int64', [size], [1]));
  assert.deepEqual([y.data.length, y.data[0], y.data[2 ** 27], y.data.at(-1)], [size, 7, 7, 7]);
  await session.release();
});

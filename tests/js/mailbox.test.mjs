// Tensors on the way into the heap and out of it: growth, views, what is kept from run to run, what cannot go that way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  InferenceSession,
  identityModel,
  makeModel,
  node,
  port,
  sequenceType,
  Tensor,
  tensorType,
  twoByTwo,
} from './make_model.mjs';

const ramp = (length, type = Float32Array) => type.from({ length }, (_, i) => i % 251);

test('the heap grows between two feeds and between two results', async () => {
  const session = await InferenceSession.create(twoByTwo());
  for (const rows of [1, 3_000_000, 1, 7_000_000]) {
    const data = ramp(2 * rows);
    const feed = new Tensor('float32', data, [rows, 2]);
    const { sum, difference } = await session.run({ a: feed, b: feed });
    assert.deepEqual(sum.dims, [rows, 2]);
    assert.ok(sum.data.every((x, i) => x === 2 * data[i]));
    assert.ok(difference.data.every((x) => x === 0));
  }
  await session.release();
});

test('small feeds of the same shape are read anew in each run, and results are nobody else', async () => {
  const session = await InferenceSession.create(identityModel(tensorType('float32', ['n'])));
  const x = new Tensor('float32', ramp(5), [5]);
  const first = (await session.run({ x })).y;
  x.data.fill(7);
  const second = (await session.run({ x })).y;
  assert.deepEqual(first.data, ramp(5));
  assert.deepEqual(second.data, new Float32Array(5).fill(7));
  assert.equal(second.data.buffer.byteLength, 20);
  await session.release();
});

test('every rank up to 16, the scalar, and the empty tensor', async () => {
  const session = await InferenceSession.create(identityModel(tensorType('int16')));
  for (let rank = 0; rank <= 16; ++rank) {
    const dims = Array.from({ length: rank }, (_, i) => (i % 5 === 1 ? 2 : 1));
    const x = new Tensor('int16', ramp(2 ** dims.filter((dim) => dim === 2).length, Int16Array), dims);
    const { y } = await session.run({ x });
    assert.deepEqual([y.dims, y.data], [dims, x.data]);
  }
  const { y } = await session.run({ x: new Tensor('int16', [], [3, 0, 2 ** 40]) });
  assert.deepEqual([y.dims, y.data], [[3, 0, 2 ** 40], new Int16Array(0)]);
  await session.release();
});

test('strings and sequences beside tensors', async () => {
  const session = await InferenceSession.create(
    makeModel({
      node: [
        node('Identity', ['a'], ['x']),
        node('Identity', ['b'], ['y']),
        node('SequenceConstruct', ['a', 'a'], ['z']),
      ],
      input: [port('a', tensorType('float32', [2])), port('b', tensorType('string', [1]))],
      output: [
        port('x', tensorType('float32', [2])),
        port('y', tensorType('string', [1])),
        port('z', sequenceType(tensorType('float32', [2]))),
      ],
    }),
  );
  const feeds = { a: new Tensor('float32', [1, 2]), b: new Tensor('string', ['ñ'], [1]) };
  const all = await session.run(feeds);
  assert.deepEqual([...all.x.data, ...all.y.data], [1, 2, 'ñ']);
  assert.deepEqual(
    all.z.map(({ data }) => [...data]),
    [
      [1, 2],
      [1, 2],
    ],
  );
  const target = new Tensor('float32', [0, 0]);
  assert.equal((await session.run(feeds, { x: target, z: null })).x, target);
  assert.deepEqual([...target.data], [1, 2]);
  await assert.rejects(session.run(feeds, { z: target }), { code: 'invalid_input', message: /"z".*sequence/ });
  await session.release();
});

test('a sequence comes out of tensors', async () => {
  const session = await InferenceSession.create(
    makeModel({
      node: [node('SequenceConstruct', ['a'], ['z'])],
      input: [port('a', tensorType('float32', [2]))],
      output: [port('z', sequenceType(tensorType('float32', [2])))],
    }),
  );
  const a = new Tensor('float32', [1, 2]);
  assert.deepEqual([...(await session.run({ a })).z[0].data], [1, 2]);
  await assert.rejects(session.run({ a }, { z: a }), { code: 'invalid_input', message: /"z".*sequence/ });
  await session.release();
});

test('a target of the wrong shape names both, and leaves the session as it was', async () => {
  const session = await InferenceSession.create(twoByTwo());
  const feed = new Tensor('float32', [1, 2, 3, 4], [2, 2]);
  const sum = new Tensor('float32', [0, 0, 0, 0], [1, 4]);
  await assert.rejects(session.run({ a: feed, b: feed }, { sum }), {
    code: 'invalid_input',
    message: /output "sum".*float32\(2x2\).*float32\(1x4\)/,
  });
  assert.deepEqual([...sum.data], [0, 0, 0, 0]);
  assert.deepEqual([...(await session.run({ a: feed, b: feed })).sum.data], [2, 4, 6, 8]);
  await session.release();
});

// Results that stay in the session's heap: preferredOutputLocation 'cpu-pinned'.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from '../../dist/index.js';
import { initializer, modelBytes, node, port } from '../models/tiny_model.mjs';
import { modelOf } from '../operators/model.mjs';
import { make } from '../operators/values.mjs';

const pinned = { preferredOutputLocation: 'cpu-pinned' };
const adder = () =>
  modelBytes({
    node: [node('Add', ['x', 'w'], ['y']), node('Neg', ['x'], ['z'])],
    input: [port('x', [3])],
    output: [port('y', [3]), port('z', [3])],
    initializer: [initializer('w', [3], [1, 2, 3])],
  });
const floats = (...list) => new Tensor('float32', list, [list.length]);

test('a result that is pinned reads as any other, and can be fed, read and disposed', async () => {
  const session = await InferenceSession.create(adder(), pinned);
  const { y, z } = await session.run({ x: floats(1, 1, 1) });
  assert.ok(y instanceof Tensor);
  assert.deepEqual([y.location, y.type, y.dims, y.size], ['cpu-pinned', 'float32', [3], 3]);
  assert.deepEqual([...y.data], [2, 3, 4]);
  assert.deepEqual([...(await z.getData())], [-1, -1, -1]);
  const again = await session.run({ x: y }, ['y']);
  assert.deepEqual([...again.y.data], [3, 5, 7]);
  assert.deepEqual([...y.data], [2, 3, 4], 'the feed is as it was');
  // Written into another one that is pinned.
  const into = await session.run({ x: y }, { z: again.y });
  assert.equal(into.z, again.y);
  assert.deepEqual([...again.y.data], [-2, -3, -4]);
  // A proxy is still the same tensor; other dimensions are another one.
  const { y: proxied } = await session.run({ x: new Proxy(y, {}) }, ['y']);
  assert.deepEqual([...proxied.data], [3, 5, 7]);
  y.dims = [3, 1];
  await assert.rejects(session.run({ x: y }), { code: 'invalid_input' });
  assert.deepEqual([...(await proxied.getData(true))], [3, 5, 7]);
  assert.equal(proxied.location, 'none');
  y.dispose();
  assert.equal(y.location, 'none');
  assert.throws(() => y.data, /disposed/);
  y.dispose();
  await assert.rejects(session.run({ x: y }), /disposed/);
  await session.release();
  assert.throws(() => again.y.data, /released/);
  again.y.dispose();
});

test('only what is asked for is pinned; other sessions read a copy', async () => {
  const session = await InferenceSession.create(adder(), { preferredOutputLocation: { z: 'cpu-pinned' } });
  const other = await InferenceSession.create(adder(), pinned);
  const { y, z } = await session.run({ x: floats(5, 6, 7) });
  assert.deepEqual([y.location, z.location], ['cpu', 'cpu-pinned']);
  const result = await other.run({ x: z });
  assert.deepEqual([...result.y.data], [-4, -4, -4]);
  await assert.rejects(session.run({ x: y }, { z: result.z }), /another session holds/);
  await session.release();
  await other.release();
});

test('a target of another shape is refused, and stays as it was', async () => {
  const model = modelBytes({
    node: [node('Neg', ['x'], ['y'])],
    input: [port('x', ['n'])],
    output: [port('y', ['n'])],
  });
  const session = await InferenceSession.create(model, pinned);
  const { y } = await session.run({ x: floats(1, 2) });
  await assert.rejects(session.run({ x: floats(1, 2, 3) }, { y }), /the result is .*3.*, but the tensor given/);
  assert.deepEqual([...y.data], [-1, -2]);
  // In place: what is fed is what is written.
  const same = await session.run({ x: y }, { y });
  assert.deepEqual([...same.y.data], [1, 2]);
  await session.release();
});

test('a constant that is a result is not given away', async () => {
  const graph = {
    node: [node('Identity', ['w'], ['c']), node('Add', ['x', 'w'], ['y'])],
    input: [port('x', [2])],
    output: [port('c', [2]), port('y', [2])],
    initializer: [initializer('w', [2], [4, 5])],
  };
  const session = await InferenceSession.create(modelBytes(graph), pinned);
  const { c } = await session.run({ x: floats(0, 0) });
  await session.run({ x: floats(7, 7) }, { y: c });
  assert.deepEqual([...c.data], [11, 12]);
  const { y } = await session.run({ x: floats(0, 0) }, ['y']);
  assert.deepEqual([...y.data], [4, 5]);
  await session.release();
});

// A cache of 12 places, 2 heads of 8, that 3 tokens and then 5 single ones fill.
test('GroupQueryAttention writes its cache in place, token by token', async () => {
  const [room, heads, size] = [12, 2, 8];
  const inputs = (tokens, total) => [
    make('float32', [1, tokens, 2 * heads * size], 'unit'),
    make('float32', [1, tokens, heads * size], 'unit'),
    make('float32', [1, tokens, heads * size], 'unit'),
    make('float32', [1, heads, room, size], 'unit'),
    make('float32', [1, heads, room, size], 'unit'),
    make('int32', [1], [total - 1]),
    make('int32', [1], [total]),
  ];
  const row = { op: 'com.microsoft.GroupQueryAttention', at: 1, inputs: inputs(1, 4), outputs: 3 };
  const model = modelOf({ ...row, attributes: { num_heads: 2 * heads, kv_num_heads: heads }, open: true });
  const plain = await InferenceSession.create(model.slice());
  const session = await InferenceSession.create(model.slice(), {
    preferredOutputLocation: { o1: 'cpu-pinned', o2: 'cpu-pinned' },
  });
  const zeros = () => new Tensor('float32', new Float32Array(heads * room * size), [1, heads, room, size]);
  let expected = { o1: zeros(), o2: zeros() };
  let cache;
  for (let total = 4; total <= 9; total++) {
    const given = inputs(1, total).map((v) => new Tensor(v.type, v.data, v.dims));
    const feeds = Object.fromEntries(given.map((t, i) => [`i${i}`, t]));
    expected = await plain.run({ ...feeds, i3: expected.o1, i4: expected.o2 });
    const result = cache
      ? await session.run({ ...feeds, i3: cache.o1, i4: cache.o2 }, { o0: null, ...cache })
      : await session.run({ ...feeds, i3: zeros(), i4: zeros() });
    cache ??= { o1: result.o1, o2: result.o2 };
    assert.deepEqual([...result.o0.data], [...expected.o0.data], `of ${total}`);
    // Behind the last token a cache may hold anything.
    const filled = (t) =>
      Array.from({ length: heads }, (_, h) => [...t.data.slice(h * room * size, (h * room + total) * size)]);
    for (const name of ['o1', 'o2'])
      assert.deepEqual(filled(cache[name]), filled(expected[name]), `${name} of ${total}`);
  }
  await plain.release();
  await session.release();
});

// As exporters write a static cache from opset 24 on: TensorScatter in front of the attention.
test('TensorScatter writes its cache in place, circularly too', async () => {
  const dims = [1, 2, 6, 4];
  const inputs = [make('float32', dims, 'unit'), make('float32', [1, 2, 2, 4], 'unit'), make('int64', [1], [0])];
  const model = modelOf({
    op: 'TensorScatter',
    at: 24,
    inputs,
    outputs: 1,
    attributes: { mode: 'circular' },
    open: true,
  });
  const session = await InferenceSession.create(model, pinned);
  const expected = new Float32Array(48);
  let cache = new Tensor('float32', new Float32Array(48), dims);
  for (let step = 0; step < 5; step++) {
    const rows = Float32Array.from({ length: 16 }, (_, i) => 100 * step + i);
    const at = (2 * step + 1) % 6;
    for (let i = 0; i < 16; i++) expected[((i >> 3) * 6 + ((at + ((i >> 2) & 1)) % 6)) * 4 + (i & 3)] = rows[i];
    const feeds = {
      i0: cache,
      i1: new Tensor('float32', rows, [1, 2, 2, 4]),
      i2: new Tensor('int64', [BigInt(at)], [1]),
    };
    const { o0 } = await session.run(feeds, step > 0 ? { o0: cache } : ['o0']);
    if (step > 0) assert.equal(o0, cache);
    assert.deepEqual([...o0.data], [...expected], `step ${step}`);
    cache = o0;
  }
  await session.release();
});

/**
 * Runs again and again with a large cache, which is the fetch too: the heap never grows by it. That there was no room for a
 * copy is known once a result of its own makes the heap grow.
 */
async function staysInPlace(session, feedsOf, first) {
  const kept = [first];
  for (let i = 0; ; i++) {
    const cache = kept.at(-1);
    const { heap } = session.memory();
    await session.run(feedsOf(cache), { o0: cache });
    assert.equal(session.memory().heap, heap, 'a run in place makes no copy');
    kept.push((await session.run(feedsOf(cache), ['o0'])).o0);
    if (session.memory().heap > heap) break;
    assert.ok(i < 12, 'the heap does not grow at all');
  }
  for (const tensor of kept) tensor.dispose();
}

const kReductions = { none: (_, b) => b, add: (a, b) => a + b, max: Math.max };
const integers = (dims, list) => new Tensor('int64', BigInt64Array.from(list, BigInt), dims);
for (const op of ['ScatterND', 'ScatterElements']) {
  for (const [reduction, combine] of Object.entries(kReductions)) {
    const open = (dims, rows) => {
      const updates = make('float32', [rows, dims[1]], 'unit');
      const places = op === 'ScatterND' ? [rows, 1] : updates.dims;
      const indices = make('int64', places, Array(rows * places[1]).fill(0));
      const inputs = [make('float32', dims, 'unit'), indices, updates];
      const row = { op, at: 18, inputs, outputs: 1, attributes: { reduction }, open: true };
      return InferenceSession.create(modelOf(row), pinned);
    };
    /** Row `rows[i]` of the cache takes row i of the updates. */
    const feedsOf = (cache, rows, columns, updates) => ({
      i0: cache,
      i1:
        op === 'ScatterND'
          ? integers([rows.length, 1], rows)
          : integers(
              [rows.length, columns],
              rows.flatMap((row) => Array(columns).fill(row)),
            ),
      i2: new Tensor('float32', updates, [rows.length, columns]),
    });

    test(`${op}, ${reduction}, writes into the cache that it is fed`, async () => {
      const session = await open([5, 4], 3);
      // What is written twice is left open by the standard; sums take both.
      const rows = reduction === 'none' ? [3, 0, -3] : [3, 0, -2];
      const expected = Float32Array.from({ length: 20 }, (_, i) => i);
      let cache = new Tensor('float32', expected.slice(), [5, 4]);
      for (let step = 0; step < 4; step++) {
        const updates = Float32Array.from({ length: 12 }, (_, i) => 10 * step + i - 5);
        updates.forEach((value, i) => {
          const place = 4 * ((rows[i >> 2] + 5) % 5) + (i & 3);
          expected[place] = combine(expected[place], value);
        });
        const { o0 } = await session.run(feedsOf(cache, rows, 4, updates), step > 0 ? { o0: cache } : ['o0']);
        if (step > 0) assert.equal(o0, cache);
        assert.deepEqual([...o0.data], [...expected], `step ${step}`);
        cache = o0;
      }
      // An index that is none is seen before anything is written.
      const wrong = feedsOf(cache, [0, 1, 5], 4, new Float32Array(12).fill(7));
      await assert.rejects(session.run(wrong, { o0: cache }), { opType: op });
      assert.deepEqual([...cache.data], [...expected]);
      await session.release();
    });

    test(`${op}, ${reduction}, makes no copy of a large cache`, async () => {
      const [rows, columns] = [1 << 12, 1 << 10];
      const session = await open([rows, columns], 1);
      const feeds = (cache) => feedsOf(cache, [rows - 1], columns, new Float32Array(columns).fill(1));
      const zeros = new Tensor('float32', new Float32Array(rows * columns), [rows, columns]);
      await staysInPlace(session, feeds, (await session.run(feeds(zeros))).o0);
      await session.release();
    });
  }
}

test('TensorScatter makes no copy of a large cache', async () => {
  const [dims, update] = [
    [1, 1 << 12, 1 << 10],
    [1, 1, 1 << 10],
  ];
  const inputs = [make('float32', dims, 'unit'), make('float32', update, 'unit'), make('int64', [1], [0])];
  const model = modelOf({ op: 'TensorScatter', at: 24, inputs, outputs: 1, open: true });
  const session = await InferenceSession.create(model, pinned);
  const rows = new Tensor('float32', new Float32Array(1 << 10), update);
  const feeds = (cache) => ({ i0: cache, i1: rows, i2: integers([1], [7]) });
  const zeros = new Tensor('float32', new Float32Array(1 << 22), dims);
  await staysInPlace(session, feeds, (await session.run(feeds(zeros))).o0);
  await session.release();
});

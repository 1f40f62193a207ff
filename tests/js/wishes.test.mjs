// What users of other runtimes asked for in vain: aborts between nodes, a queue, results in place, traces, plain numbers,
// feeds by position, disposal.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as package_ from '../../dist/index.js';
import {
  InferenceSession,
  identityModel,
  makeModel,
  node,
  OnnxError,
  port,
  Tensor,
  tensorType,
  twoByTwo,
} from './make_model.mjs';

const { chromeTrace } = package_;
let session;
before(async () => {
  session = await InferenceSession.create(twoByTwo());
});
after(() => session.release());

const a = new Tensor('float32', [1, 2, 3, 4], [2, 2]);
const b = new Tensor('float32', [10, 20, 30, 40], [2, 2]);
const kSum = Float32Array.of(11, 22, 33, 44);

/** y = x * (n products of matrices), each of which takes a while for a large matrix. */
function slowModel(nodes) {
  const type = tensorType('float32', ['n', 'n']);
  const steps = Array.from({ length: nodes }, (_, i) =>
    node('MatMul', [`t${i}`, 't0'], [`t${i + 1}`], { name: `m${i}` }),
  );
  return makeModel({ node: steps, input: [port('t0', type)], output: [port(`t${nodes}`, type)] });
}
const identity = (n) => {
  const data = new Float32Array(n * n);
  for (let i = 0; i < n; ++i) data[i * n + i] = 1;
  return new Tensor('float32', data, [n, n]);
};

test('feeds by position', async () => {
  assert.deepEqual((await session.run([a, b])).sum.data, kSum);
  assert.deepEqual((await session.run([b, a], ['difference'])).difference.data, Float32Array.of(9, 18, 27, 36));
  const one = await InferenceSession.create(identityModel(tensorType('float32')));
  assert.deepEqual((await one.run(a)).y.data, a.data);
  assert.deepEqual((await one.run([a])).y.dims, [2, 2]);
  assert.deepEqual((await one.run({ type: 'float32', data: a.data, dims: [4] })).y.dims, [4]);
  await one.release();
});

test('an abort from an event is seen between nodes, and the session goes on', async () => {
  const slow = await InferenceSession.create(slowModel(400), { graphOptimizationLevel: 'disabled' });
  const x = identity(256);
  const controller = new AbortController();
  const reason = new Error('enough');
  let ended = false;
  const run = slow.run({ t0: x }, { signal: controller.signal }).finally(() => {
    ended = true;
  });
  let turns = 0;
  // An event of its own, as a click is: it can only come where the run lets others have a turn.
  await new Promise((resolve) => {
    setTimeout(() => {
      ++turns;
      assert.equal(ended, false);
      controller.abort(reason);
      resolve();
    }, 0);
  });
  await assert.rejects(
    run,
    (error) => error instanceof OnnxError && error.code === 'aborted' && error.cause === reason,
  );
  assert.equal(turns, 1);
  assert.deepEqual((await slow.run({ t0: identity(3) })).t400.data, identity(3).data);
  await slow.release();
});

/** Carries x through a body, `trips` times; Loop, Scan and If, one in the other. */
function slowLoop() {
  const [type, index, flag] = [tensorType('float32', [2]), tensorType('int64', []), tensorType('bool', [])];
  const branch = (name, op) => ({
    name,
    type: 'GRAPH',
    g: { name, node: [node(op, ['v'], [`${name}_out`])], output: [port(`${name}_out`, type)] },
  });
  const chosen = node('If', ['go'], ['w'], { attribute: [branch('then_branch', 'Neg'), branch('else_branch', 'Abs')] });
  const body = {
    name: 'body',
    node: [chosen, node('Identity', ['go'], ['on'])],
    input: [port('i', index), port('go', flag), port('v', type)],
    output: [port('on', flag), port('w', type)],
  };
  return makeModel({
    node: [node('Loop', ['trips', '', 'x'], ['y'], { attribute: [{ name: 'body', type: 'GRAPH', g: body }] })],
    input: [port('trips', index), port('x', type)],
    output: [port('y', type)],
  });
}

for (const worker of [false, true]) {
  test(`an abort within a loop, worker: ${worker}`, async () => {
    const loop = await InferenceSession.create(slowLoop(), { worker });
    const x = new Tensor('float32', [1, -2], [2]);
    const feeds = (trips) => ({ trips: new Tensor('int64', [trips], []), x });
    const reason = new Error('enough');
    const controller = new AbortController();
    // Years.
    const run = loop.run(feeds(10 ** 15), { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 100);
    await assert.rejects(run, (error) => error.code === 'aborted' && error.cause === reason);
    assert.deepEqual([...(await loop.run(feeds(3))).y.data], [-1, 2]);
    const { signal } = new AbortController();
    assert.deepEqual([...(await loop.run(feeds(20_001), { signal })).y.data], [-1, 2]);
    await assert.rejects(loop.run(feeds(10 ** 15), { signal: AbortSignal.timeout(50) }), { code: 'aborted' });
    await loop.release();
  });
}

test('an aborted run lets the next in the queue go', async () => {
  const slow = await InferenceSession.create(slowModel(100), { graphOptimizationLevel: 'disabled' });
  const controller = new AbortController();
  const first = slow.run({ t0: identity(256) }, { signal: controller.signal });
  const second = slow.run({ t0: identity(2) });
  const third = slow.run({ t0: identity(4) }, { signal: controller.signal });
  setTimeout(() => controller.abort(), 0);
  await assert.rejects(first, { code: 'aborted' });
  assert.deepEqual((await second).t100.data, identity(2).data);
  await assert.rejects(third, { code: 'aborted' });
  await slow.release();
});

test('runs in slices give what runs at once give', async () => {
  const steps = await InferenceSession.create(slowModel(20));
  const x = new Tensor(
    'float32',
    Float32Array.from({ length: 64 * 64 }, (_, i) => ((i * 37) % 11) / 64),
    [64, 64],
  );
  const { signal } = new AbortController();
  const [sliced, whole] = [await steps.run(x, { signal, profile: true }), await steps.run(x)];
  assert.deepEqual(sliced.t20.data, whole.t20.data);
  assert.equal(steps.profile().length, 20);
  await steps.release();
});

test('overlapping runs come in the order of their calls', async () => {
  const order = [];
  const note = (name) => (result) => order.push([name, result.sum.data[0]]);
  const { signal } = new AbortController();
  await Promise.all([
    session.run({ a, b }, { signal }).then(note(1)),
    session.run({ a: b, b }).then(note(2)),
    session.run({ a, b: a }, { signal }).then(note(3)),
    session.run({ a, b }).then(note(4)),
  ]);
  assert.deepEqual(order, [
    [1, 11],
    [2, 20],
    [3, 2],
    [4, 11],
  ]);
});

test('release waits for the runs that were called before it', async () => {
  const other = await InferenceSession.create(twoByTwo());
  const { signal } = new AbortController();
  const runs = [other.run([a, b], { signal }), other.run([a, b])];
  const released = other.release();
  const late = other.run([a, b]);
  for (const run of runs) assert.deepEqual((await run).sum.data, kSum);
  await released;
  await assert.rejects(late, /released/);
});

test('results are written into the tensors given for them', async () => {
  const sum = new Tensor('float32', new Float32Array(4), [2, 2]);
  const { data } = sum;
  const results = await session.run([a, b], { sum, difference: null });
  assert.equal(results.sum, sum);
  assert.equal(sum.data, data);
  assert.deepEqual(data, kSum);
  assert.deepEqual(Object.keys(results).sort(), ['difference', 'sum']);
});

test('a profile as a Chrome trace', async () => {
  await session.run([a, b], { profile: true });
  const trace = JSON.parse(JSON.stringify(chromeTrace(session.profile())));
  assert.equal(trace.displayTimeUnit, 'ms');
  assert.deepEqual(
    trace.traceEvents.map((e) => [e.name, e.ph, e.args.node, e.args.inputs]),
    [
      ['Add', 'X', 'plus', 'float32(2x2), float32(2x2)'],
      ['Sub', 'X', 'minus', 'float32(2x2), float32(2x2)'],
    ],
  );
  const [first, second] = trace.traceEvents;
  assert.ok(first.dur >= 0 && second.ts >= first.ts + first.dur - 1e-3, JSON.stringify(trace));
});

test('events that hold others stand before them', () => {
  const entry = (node, start, duration, depth) => ({ node, opType: 'If', start, duration, shapes: '', depth });
  // Nodes are noted when they end.
  const { traceEvents } = chromeTrace([entry('inner', 1, 1, 1), entry('outer', 1, 3, 0)]);
  assert.deepEqual(
    traceEvents.map((e) => [e.args.node, e.ts, e.dur]),
    [
      ['outer', 1000, 3000],
      ['inner', 1000, 1000],
    ],
  );
});

test('64-bit integers as numbers', async () => {
  const model = identityModel(tensorType('int64'));
  const x = new Tensor('int64', Int32Array.of(1, -2, 3));
  assert.deepEqual(x.data, BigInt64Array.of(1n, -2n, 3n));
  const other = await InferenceSession.create(model, { int64: 'number' });
  const { y } = await other.run(x);
  assert.equal(y.type, 'float64');
  assert.deepEqual(y.data, Float64Array.of(1, -2, 3));
  assert.deepEqual((await other.run(x, { int64: 'bigint' })).y.data, x.data);
  const wide = new Tensor('int64', [2n ** 53n]);
  await assert.rejects(other.run(wide), { code: 'runtime_error', message: /"y": element 0 is 9007199254740992/ });
  await assert.rejects(InferenceSession.create(model, { int64: 'float' }), { code: 'invalid_argument' });
  await other.release();
});

test('multiply-adds', async () => {
  const product = (...dims) =>
    makeModel({
      node: [node('MatMul', ['x', 'w'], ['p']), node('Relu', ['p'], ['y'])],
      initializer: [{ name: 'w', data_type: 1, dims: [5, 7], float_data: Array(35).fill(1) }],
      input: [port('x', tensorType('float32', dims))],
      output: [port('y', tensorType('float32'))],
    });
  const fixed = await InferenceSession.create(product(3, 5));
  assert.equal(fixed.macs(), 3 * 5 * 7);
  const open = await InferenceSession.create(product('n', 5));
  assert.equal(open.macs(), undefined);
  await open.run(new Tensor('float32', new Float32Array(20), [4, 5]));
  assert.equal(open.macs(), 4 * 5 * 7);
  await fixed.release();
  await open.release();
});

/** Products of [n, n] matrices: one, then `trips` in a loop, each of which makes two more in a branch where `more` is true. */
function loopOfProducts() {
  const [type, index, flag] = [tensorType('float32', ['n', 'n']), tensorType('int64', []), tensorType('bool', [])];
  const graph = (name, g) => ({ name, type: 'GRAPH', g: { name, ...g } });
  const branch = (name, ...nodes) => graph(name, { node: nodes, output: [port(`${name}_out`, type)] });
  const twice = [node('MatMul', ['v', 'x'], ['u']), node('MatMul', ['u', 'x'], ['then_branch_out'])];
  const branches = [
    branch('then_branch', ...twice),
    branch('else_branch', node('Identity', ['v'], ['else_branch_out'])),
  ];
  const body = graph('body', {
    node: [
      node('MatMul', ['t', 'x'], ['v']),
      node('If', ['more'], ['w'], { attribute: branches }),
      node('Identity', ['go'], ['on']),
    ],
    input: [port('i', index), port('go', flag), port('t', type)],
    output: [port('on', flag), port('w', type)],
  });
  return makeModel({
    node: [node('MatMul', ['x', 'x'], ['s']), node('Loop', ['trips', '', 's'], ['y'], { attribute: [body] })],
    input: [port('x', type), port('trips', index), port('more', flag)],
    output: [port('y', type)],
  });
}

for (const worker of [false, true]) {
  test(`multiply-adds of loops and branches, worker: ${worker}`, async () => {
    const loop = await InferenceSession.create(loopOfProducts(), { worker });
    for (const [n, trips, more, products] of [
      [4, 3, true, 1 + 3 * 3],
      [4, 5, false, 1 + 5],
      [3, 0, true, 1],
      [3, 2, true, 1 + 2 * 3],
    ]) {
      const feeds = [identity(n), new Tensor('int64', [trips], []), new Tensor('bool', [more], [])];
      const { y } = await loop.run(feeds);
      assert.deepEqual(y.data, identity(n).data);
      assert.equal(loop.macs(), products * n ** 3);
      await loop.run(feeds, { signal: new AbortController().signal });
      assert.equal(loop.macs(), products * n ** 3);
    }
    await loop.release();
  });
}

test('a model whose output is declared with another type is refused', async () => {
  const model = (dims) =>
    makeModel({
      node: [node('Neg', ['x'], ['y'])],
      input: [port('x', tensorType('float32', dims))],
      output: [port('y', tensorType('int64', [3]))],
    });
  const message = /output "y" is declared as int64, but the model computes float32/;
  // With all shapes declared it is known when the model is loaded; else at the first run.
  await assert.rejects(InferenceSession.create(model([3])), { code: 'invalid_model', message });
  const open = await InferenceSession.create(model(['n']));
  await assert.rejects(open.run(new Tensor('float32', [1, 2, 3])), { code: 'invalid_model', message });
  await open.release();
});

test('empty results may have any other dimension that JavaScript can count', async () => {
  const model = makeModel({
    node: [node('Expand', ['x', 's'], ['y'])],
    input: [port('x', tensorType('float32', [1])), port('s', tensorType('int64', [2]))],
    output: [port('y', tensorType('float32'))],
  });
  const other = await InferenceSession.create(model);
  const x = new Tensor('float32', [1]);
  const { y } = await other.run([x, new Tensor('int64', [2n ** 53n, 0n])]);
  assert.deepEqual([y.dims, y.size], [[2 ** 53, 0], 0]);
  await assert.rejects(other.run([x, new Tensor('int64', [2n ** 62n, 0n])]), {
    code: 'out_of_memory',
    message: /Expand.*dimension 4611686018427387904, the limit is 2\^53/,
  });
  await other.release();
});

test('out of memory says how much was asked for, and of how much', async () => {
  const model = makeModel({
    node: [node('Pad', ['x', 'p'], ['y'])],
    input: [port('x', tensorType('float32', ['n'])), port('p', tensorType('int64', [2]))],
    output: [port('y', tensorType('float32'))],
  });
  const other = await InferenceSession.create(model);
  const x = new Tensor('float32', [1, 2]);
  for (const pads of [
    [2n ** 62n, 2n ** 62n],
    [2n ** 40n, 0n],
    [2n ** 31n, 0n],
  ]) {
    await assert.rejects(other.run([x, new Tensor('int64', pads)]), { code: 'out_of_memory', message: /Pad.*\d{6}/ });
  }
  const tooMuch = other.run([x, new Tensor('int64', [2n ** 31n, 0n])]);
  await assert.rejects(
    tooMuch,
    /no memory for a tensor of 8589934600 bytes.*the heap has \d+ bytes, of at most 4294967296/,
  );
  assert.deepEqual([...(await other.run([x, new Tensor('int64', [1, 0])])).y.data], [0, 1, 2]);
  await other.release();
});

test('using disposes', { skip: !Symbol.dispose }, async () => {
  const other = await InferenceSession.create(twoByTwo());
  other[Symbol.dispose]();
  await assert.rejects(other.run([a, b]), /released/);
  const tensor = new Tensor('float32', [1]);
  tensor[Symbol.dispose]();
  assert.equal(tensor.location, 'none');
});

test('Winograd can be turned off', async () => {
  // A convolution of 3x3 with many channels, in double beside it.
  const [channels, size] = [32, 12];
  const random = (n, seed) => Float32Array.from({ length: n }, (_, i) => Math.sin((i + 1) * seed));
  const w = random(channels * channels * 9, 12.9898);
  const x = random(channels * size * size, 78.233);
  const model = makeModel({
    node: [node('Conv', ['x', 'w'], ['y'], { attribute: [{ name: 'pads', type: 7, ints: [1, 1, 1, 1] }] })],
    input: [port('x', tensorType('float32', [1, channels, size, size]))],
    output: [port('y', tensorType('float32', [1, channels, size, size]))],
    initializer: [{ name: 'w', dims: [channels, channels, 3, 3], data_type: 1, raw_data: new Uint8Array(w.buffer) }],
  });
  const at = (c, i, j) => (i < 0 || j < 0 || i >= size || j >= size ? 0 : x[(c * size + i) * size + j]);
  const expected = Float64Array.from({ length: channels * size * size }, (_, o) => {
    const [m, i, j] = [Math.floor(o / size / size), Math.floor(o / size) % size, o % size];
    let sum = 0;
    for (let c = 0; c < channels; ++c) {
      for (let t = 0; t < 9; ++t)
        sum += w[(m * channels + c) * 9 + t] * at(c, i + Math.floor(t / 3) - 1, j + (t % 3) - 1);
    }
    return sum;
  });
  const errorOf = async (extra) => {
    const made = await InferenceSession.create(model, { extra });
    const { y } = await made.run({ x: new Tensor('float32', x, [1, channels, size, size]) });
    await made.release();
    return Math.sqrt(y.data.reduce((sum, value, i) => sum + (value - expected[i]) ** 2, 0) / y.data.length);
  };
  const [fast, direct] = [await errorOf({}), await errorOf({ winograd: false })];
  assert.ok(fast < 1e-4, `Winograd's error is ${fast}`);
  assert.ok(direct < fast, `the error of the direct sum is ${direct}, Winograd's ${fast}`);
  await assert.rejects(
    InferenceSession.create(model, { extra: { winograd: 1 } }),
    /'extra.winograd' must be true or false, not 1/,
  );
});

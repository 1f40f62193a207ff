// Sessions: names and metadata, feeds and fetches, the queue, profiles, memory, release.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  goodModel,
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

let session;
before(async () => {
  session = await InferenceSession.create(twoByTwo());
});
after(() => session.release());

const a = new Tensor('float32', [1, 2, 3, 4], [2, 2]);
const b = new Tensor('float32', [10, 20, 30, 40], [2, 2]);
const kSum = Float32Array.of(11, 22, 33, 44);
const kDifference = Float32Array.of(-9, -18, -27, -36);

// Fails as it should, and the session goes on.
async function refuses(promise, code, ...words) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof OnnxError, `${error} is no OnnxError`);
    assert.equal(error.code, code, error.message);
    for (const word of words) assert.match(error.message, word);
    return true;
  });
  assert.deepEqual((await session.run({ a, b })).sum.data, kSum);
}

test('names and metadata', () => {
  assert.deepEqual(session.inputNames, ['a', 'b']);
  assert.deepEqual(session.outputNames, ['sum', 'difference']);
  assert.deepEqual(session.inputMetadata[1], { name: 'b', isTensor: true, type: 'float32', shape: ['n', 2] });
  assert.equal(session.outputMetadata[0].name, 'sum');
  assert.deepEqual(session.metadata.operators, { Add: 1, Sub: 1 });
  assert.deepEqual(session.metadata.opsets, { 'ai.onnx': 21 });
  assert.equal(session.info.variant, 'simd');
  assert.equal(session.info.threads, 1);
  assert.ok(session.info.why.length > 10);
});

test('what the file says of itself', async () => {
  const more = {
    producer_name: 'tests',
    producer_version: '1.2',
    domain: 'org.example',
    model_version: 7,
    doc_string: 'says nothing',
    metadata_props: [{ key: 'author', value: 'nobody' }],
  };
  const other = await InferenceSession.create(identityModel(tensorType('float32'), more));
  const { metadata } = other;
  assert.deepEqual([metadata.producerName, metadata.producerVersion], ['tests', '1.2']);
  assert.deepEqual([metadata.domain, metadata.modelVersion, metadata.description], ['org.example', 7, 'says nothing']);
  assert.deepEqual(metadata.custom, { author: 'nobody' });
  assert.equal(metadata.irVersion, 10);
  await other.release();
});

test('all outputs, some of them, and in what order', async () => {
  const all = await session.run({ a, b });
  assert.deepEqual(Object.keys(all), ['sum', 'difference']);
  assert.deepEqual(all.sum.data, kSum);
  assert.deepEqual(all.difference.data, kDifference);
  assert.deepEqual(Object.keys(await session.run({ a, b }, ['difference'])), ['difference']);
  assert.deepEqual(Object.keys(await session.run({ a, b }, { sum: null })), ['sum']);
  assert.deepEqual(Object.keys(await session.run({ a, b }, {})), ['sum', 'difference']);
});

test('results go into the tensors that were given', async () => {
  const sum = new Tensor('float32', new Float32Array(4), [2, 2]);
  const results = await session.run({ a, b }, { sum, difference: null });
  assert.equal(results.sum, sum);
  assert.deepEqual(sum.data, kSum);
  assert.deepEqual(results.difference.data, kDifference);
});

test('tensors given for results must fit', async () => {
  const fetch = (sum) => session.run({ a, b }, { sum });
  await refuses(fetch(new Tensor('float32', new Float32Array(4), [4])), 'invalid_input', /"sum"/, /2x2/);
  await refuses(fetch(new Tensor('int32', new Int32Array(4), [2, 2])), 'invalid_input', /"sum"/, /int32/);
});

test('bad feeds, each with its own error', async () => {
  await refuses(session.run({ a }), 'invalid_input', /"b"/, /missing/);
  await refuses(session.run({ a, b: undefined }), 'invalid_input', /"b"/, /missing/);
  await refuses(session.run({ a, b: null }), 'invalid_input', /"b"/);
  await refuses(session.run({ a, b, c: b }), 'invalid_input', /"c"/, /"a", "b"/);
  const integers = new Tensor('int32', [1, 2, 3, 4], [2, 2]);
  await refuses(session.run({ a, b: integers }), 'invalid_input', /"b"/, /float32/, /int32/);
  const flat = new Tensor('float32', [1, 2, 3, 4], [4]);
  await refuses(session.run({ a, b: flat }), 'invalid_input', /"b"/, /rank/);
  const wide = new Tensor('float32', [1, 2, 3, 4, 5, 6], [2, 3]);
  await refuses(session.run({ a, b: wide }), 'invalid_input', /"b"/, /3/);
  const broken = new Tensor('float32', [1, 2, 3, 4], [2, 2]);
  broken.dims = [3, 2];
  await refuses(session.run({ a, b: broken }), 'invalid_input', /"b"/, /length 4/, /needs 6/);
  const gone = new Tensor('float32', [1, 2, 3, 4], [2, 2]);
  gone.dispose();
  await refuses(session.run({ a, b: gone }), 'invalid_input', /"b"/, /disposed/);
  for (const feeds of [undefined, null, 1]) await refuses(session.run(feeds), 'invalid_input', /'feeds'/);
  await refuses(session.run(a), 'invalid_input', /"b"/, /missing/);
  await refuses(session.run([a, b, a]), 'invalid_input', /3 values are given for 2 inputs: "a", "b"/);
});

test('bad fetches and options', async () => {
  await refuses(session.run({ a, b }, ['product']), 'invalid_input', /"product"/, /"sum", "difference"/);
  await refuses(session.run({ a, b }, { sum: null, product: null }), 'invalid_input', /"product"/);
  await refuses(session.run({ a, b }, []), 'invalid_argument', /empty/);
  await refuses(session.run({ a, b }, [1]), 'invalid_argument', /fetches/);
  await refuses(session.run({ a, b }, 'sum'), 'invalid_argument', /run\(\)/);
  await refuses(session.run({ a, b }, ['sum'], 1), 'invalid_argument', /options/);
});

test('a detached buffer is no data', async () => {
  const data = Float32Array.of(1, 2, 3, 4);
  const tensor = new Tensor('float32', data, [2, 2]);
  structuredClone(data.buffer, { transfer: [data.buffer] });
  await refuses(session.run({ a: tensor, b }), 'invalid_input', /"a"/, /length 0/);
});

test('an error of an operator says which node', async () => {
  const model = makeModel({
    node: [node('Gather', ['data', 'indices'], ['y'], { name: 'pick' })],
    input: [port('data', tensorType('float32', [3])), port('indices', tensorType('int64', [1]))],
    output: [port('y', tensorType('float32', [1]))],
  });
  const other = await InferenceSession.create(model);
  const feeds = (index) => ({ data: new Tensor('float32', [1, 2, 3]), indices: new Tensor('int64', [index]) });
  await assert.rejects(other.run(feeds(5)), (error) => {
    assert.ok(error instanceof OnnxError);
    assert.equal(error.node, 'pick');
    assert.equal(error.opType, 'Gather');
    assert.match(error.message, /Gather "pick"/);
    return true;
  });
  assert.deepEqual([...(await other.run(feeds(2))).y.data], [3]);
  await other.release();
});

test('runs that overlap wait for each other', async () => {
  const runs = Array.from({ length: 20 }, (_, i) => {
    const x = new Tensor('float32', [i, i], [1, 2]);
    return session.run({ a: x, b: x });
  });
  const results = await Promise.all(runs);
  for (const [i, { sum }] of results.entries()) assert.deepEqual([...sum.data], [2 * i, 2 * i]);
});

test('a run that waits keeps its feeds and tensors for results, disposed or not', async () => {
  const [x, out] = [new Tensor('float32', [1, 2], [1, 2]), new Tensor('float32', new Float32Array(2), [1, 2])];
  const { data } = out;
  const runs = [session.run({ a, b }), session.run({ a: x, b: x }, { sum: out })];
  x.dispose();
  out.dispose();
  assert.deepEqual((await runs[0]).sum.data, kSum);
  await runs[1];
  assert.deepEqual(data, Float32Array.of(2, 4));
  // What is detached is no data any more.
  const late = Float32Array.of(1, 2);
  const waiting = [
    session.run({ a, b }),
    session.run({ a: new Tensor('float32', late, [1, 2]), b: new Tensor('float32', [1, 2], [1, 2]) }),
  ];
  structuredClone(late.buffer, { transfer: [late.buffer] });
  await refuses(waiting[1], 'invalid_input', /takes 8 bytes, not 0/);
});

test('outputs that are named as options are, or as fetches', async () => {
  const type = tensorType('float32', [1]);
  const model = makeModel({
    node: [node('Neg', ['x'], ['tag']), node('Abs', ['x'], ['profile'])],
    input: [port('x', type)],
    output: [port('tag', type), port('profile', type)],
  });
  const other = await InferenceSession.create(model);
  const x = new Tensor('float32', [-2]);
  assert.deepEqual(Object.keys(await other.run({ x }, { tag: null })), ['tag']);
  assert.deepEqual(Object.keys(await other.run({ x }, { tag: 'mine' })), ['tag', 'profile']);
  assert.deepEqual(Object.keys(await other.run({ x }, { profile: true })), ['tag', 'profile']);
  assert.equal(other.profile().length, 2);
  const tag = new Tensor('float32', [0]);
  assert.equal((await other.run({ x }, { tag })).tag, tag);
  assert.deepEqual([...tag.data], [2]);
  await other.release();
});

test('options that are null are left out', async () => {
  const names = [
    'executionProviders',
    'freeDimensionOverrides',
    'graphOptimizationLevel',
    'externalData',
    'worker',
    'signal',
  ];
  const more = [
    'enableProfiling',
    'onProgress',
    'int64',
    'preferredOutputLocation',
    'logSeverityLevel',
    'logId',
    'extra',
  ];
  const other = await InferenceSession.create(
    twoByTwo(),
    Object.fromEntries([...names, ...more].map((name) => [name, null])),
  );
  const runOptions = { signal: null, profile: null, int64: null, transfer: null, tag: null, terminate: null };
  assert.deepEqual((await other.run({ a, b }, ['sum'], runOptions)).sum.data, kSum);
  assert.deepEqual(other.profile(), []);
  await other.release();
});

test('terminate', async () => {
  await refuses(session.run({ a, b }, { terminate: true }), 'aborted', /terminate/);
});

test('a run that is started within a run waits for it', async () => {
  let inner;
  const signal = {
    get aborted() {
      inner ??= session.run({ a: b, b });
      return false;
    },
  };
  const outer = await session.run({ a, b }, { signal });
  assert.deepEqual(outer.sum.data, kSum);
  assert.deepEqual([...(await inner).sum.data], [20, 40, 60, 80]);
});

test('many sessions at once know nothing of each other', async () => {
  const others = await Promise.all(Array.from({ length: 8 }, () => InferenceSession.create(goodModel())));
  const x = new Tensor('float32', new Float32Array(6).fill(1), [2, 3]);
  const results = await Promise.all(others.map((other) => other.run({ x })));
  for (const { y } of results) assert.deepEqual([...y.data], [2, 3, 4, 0, 0, 0]);
  await others[0].release();
  assert.deepEqual([...(await others[1].run({ x })).y.data], [2, 3, 4, 0, 0, 0]);
  await Promise.all(others.map((other) => other.release()));
});

test('profiles', async () => {
  const other = await InferenceSession.create(twoByTwo());
  await other.run({ a, b });
  assert.deepEqual(other.profile(), []);
  await other.run({ a, b }, { profile: true });
  assert.deepEqual(
    other.profile().map((entry) => [entry.node, entry.opType, entry.depth]),
    [
      ['plus', 'Add', 0],
      ['minus', 'Sub', 0],
    ],
  );
  for (const { start, duration, shapes } of other.profile()) {
    assert.ok(start >= 0 && duration >= 0);
    assert.match(shapes, /float32\(2x2\)/);
  }
  await other.release();
});

test('too little memory is an error with numbers, and the session goes on', async () => {
  const model = makeModel({
    node: [node('Expand', ['x', 'shape'], ['y'], { name: 'blow up' })],
    input: [port('x', tensorType('float32', [1])), port('shape', tensorType('int64', [2]))],
    output: [port('y', tensorType('float32'))],
  });
  const other = await InferenceSession.create(model);
  const feeds = (side) => ({ x: new Tensor('float32', [7]), shape: new Tensor('int64', [side, side]) });
  for (const side of [60_000, 2 ** 31, 2 ** 40]) {
    await assert.rejects(other.run(feeds(side)), (error) => {
      assert.equal(error.code, 'out_of_memory', error.message);
      assert.match(error.message, /\d{3}/);
      return true;
    });
  }
  assert.deepEqual([...(await other.run(feeds(2))).y.data], [7, 7, 7, 7]);
  await other.release();
});

test('a trap loses the session, and says so from then on', async () => {
  const other = await InferenceSession.create(twoByTwo());
  const { instance } = other.engine;
  const { _sardonyx_advance: advance } = instance;
  instance._sardonyx_advance = () => {
    throw new WebAssembly.RuntimeError('unreachable');
  };
  const isLost = (error) => error instanceof OnnxError && error.code === 'instance_lost';
  await assert.rejects(other.run({ a, b }), isLost);
  instance._sardonyx_advance = advance;
  await assert.rejects(other.run({ a, b }), isLost);
  assert.throws(() => other.memory(), isLost);
  await other.release();
  assert.deepEqual((await session.run({ a, b })).sum.data, kSum);
});

test('memory', async () => {
  const other = await InferenceSession.create(goodModel());
  const memory = other.memory();
  for (const part of ['weights', 'packed', 'arena', 'scratch', 'heap']) assert.ok(memory[part] >= 0, part);
  assert.ok(memory.heap >= 1 << 20);
  assert.equal(memory.heap % 65_536, 0);
  await other.release();
  assert.throws(() => other.memory(), /released/);
});

test('1000 runs leave the heap where it was after ten', async () => {
  const other = await InferenceSession.create(identityModel(tensorType('float32', ['n'])));
  const x = new Tensor('float32', new Float32Array(100_000), [100_000]);
  for (let i = 0; i < 10; ++i) await other.run({ x });
  const { heap } = other.memory();
  for (let i = 0; i < 1000; ++i) await other.run({ x });
  assert.equal(other.memory().heap, heap);
  await other.release();
});

test('a released session says so; releasing twice is fine', async () => {
  const other = await InferenceSession.create(twoByTwo());
  await other.release();
  await other.release();
  await assert.rejects(other.run({ a, b }), (error) => error instanceof OnnxError && /released/.test(error.message));
});

test('Symbol.dispose releases', async () => {
  const other = await InferenceSession.create(twoByTwo());
  other[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  await assert.rejects(other.run({ a, b }), /released/);
});

test('a session works behind a proxy', async () => {
  const proxied = new Proxy(session, {});
  const { sum } = await proxied.run({ a: new Proxy(a, {}), b });
  assert.deepEqual(sum.data, kSum);
});

test('run() can be aborted before a node, and the session goes on', async () => {
  const aborted = AbortSignal.abort(new Error('enough'));
  await assert.rejects(session.run({ a, b }, { signal: aborted }), (error) => {
    assert.equal(error.code, 'aborted');
    assert.equal(error.cause.message, 'enough');
    return true;
  });
  let asked = 0;
  const late = {
    get aborted() {
      return ++asked > 2;
    },
  };
  await refuses(session.run({ a, b }, { signal: late }), 'aborted');
  assert.ok(asked > 2);
});

test('freeDimensionOverrides fix a dimension', async () => {
  const other = await InferenceSession.create(twoByTwo(), { freeDimensionOverrides: { n: 2 } });
  assert.deepEqual((await other.run({ a, b })).sum.data, kSum);
  const one = new Tensor('float32', [1, 2], [1, 2]);
  await assert.rejects(other.run({ a: one, b: one }), (error) => error.code === 'invalid_input');
  await other.release();
});

test('options that make no sense', async () => {
  const create = (options) => InferenceSession.create(twoByTwo(), options);
  for (const executionProviders of [[], ['wasm'], ['cpu'], [{ name: 'wasm' }], ['webgpu', 'wasm'], undefined]) {
    await (await create({ executionProviders })).release();
  }
  const bad = [
    [{ executionProviders: ['webgpu'] }, /"webgpu".*"wasm" and "cpu"/],
    [{ executionProviders: 'wasm' }, /executionProviders/],
    [{ graphOptimizationLevel: 'most' }, /"most"/],
    [{ freeDimensionOverrides: { n: -1 } }, /"n"/],
    [{ externalData: {} }, /externalData/],
    [{ signal: 1 }, /signal/],
    [{ onProgress: 1 }, /onProgress/],
    ['fast', /options/],
    [null, /options/],
  ];
  for (const [options, word] of bad) await refuses(create(options), 'invalid_argument', word);
});

test('every optimisation level gives the same', async () => {
  for (const graphOptimizationLevel of ['disabled', 'basic', 'extended', 'layout', 'all']) {
    const other = await InferenceSession.create(twoByTwo(), { graphOptimizationLevel });
    assert.deepEqual((await other.run({ a, b })).sum.data, kSum);
    await other.release();
  }
});

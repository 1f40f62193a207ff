// Nonsense for every argument of every public function: each answers or throws OnnxError, and no promise is left alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  env,
  goodModel,
  InferenceSession,
  identityModel,
  OnnxError,
  sequenceType,
  Tensor,
  tensorType,
} from './make_model.mjs';

const bytes = goodModel();
const loud = () => {
  throw new TypeError('a trap of the proxy');
};
const kTraps = { get: loud, has: loud, ownKeys: loud, getPrototypeOf: loud, getOwnPropertyDescriptor: loud };

function detached() {
  const array = new Uint8Array(64);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

function shrunk() {
  const buffer = new ArrayBuffer(64, { maxByteLength: 64 });
  const array = new Float32Array(buffer, 16);
  buffer.resize(8);
  return array;
}

// A promise of the caller's own is not ours to look after.
function refused() {
  const promise = Promise.reject(new Error('of the caller'));
  promise.catch(() => {});
  return promise;
}

function cyclic() {
  const list = [];
  list.push(list);
  return list;
}

/** @returns {[string, () => unknown][]} what makes them anew each time */
const kGarbage = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['true', () => true],
  ['-1', () => -1],
  ['NaN', () => Number.NaN],
  ['Infinity', () => Number.POSITIVE_INFINITY],
  ['10n', () => 10n],
  ['empty string', () => ''],
  ['string', () => 'constructor'],
  ['nul', () => '\0'],
  ['lone surrogate', () => '\ud800'],
  ['file://%zz', () => 'file://%zz'],
  ['file://host/x', () => 'file://host/x'],
  ['http://', () => 'http://'],
  ['Symbol', () => Symbol('s')],
  ['{}', () => ({})],
  ['no prototype', () => Object.create(null)],
  ['[]', () => []],
  ['[null]', () => [null]],
  ['[Symbol]', () => [Symbol('s')]],
  ['a hole', () => new Array(3)],
  ['cyclic', cyclic],
  ['function', () => () => 1],
  ['class', () => class {}],
  ['Map', () => new Map([[Symbol('key'), Symbol('value')]])],
  ['Date', () => new Date(Number.NaN)],
  ['Error', () => new Error('an error')],
  ['refused promise', refused],
  ['DataView', () => new DataView(new ArrayBuffer(3))],
  ['detached buffer', () => detached().buffer],
  ['detached array', detached],
  ['shrunk array', shrunk],
  ['proxy', () => new Proxy({}, kTraps)],
  ['proxy of a function', () => new Proxy(() => 1, kTraps)],
  ['proxy of a list', () => new Proxy([1], kTraps)],
  [
    'revoked proxy',
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
  ],
  [
    'getters',
    () =>
      Object.defineProperties(
        {},
        Object.fromEntries(
          [
            'type',
            'dims',
            'data',
            'x',
            'y',
            'aborted',
            'signal',
            'name',
            'path',
            'norm',
            'length',
            'toString',
            'constructor',
          ].map((name) => [name, { get: loud, enumerable: true }]),
        ),
      ),
  ],
  ['tensor-like', () => ({ type: Symbol('t'), dims: Symbol('d'), data: Symbol('e') })],
  ['tensor-like of nonsense', () => ({ type: 'float32', dims: { length: -1 }, data: { length: 2 ** 40 } })],
];

const lost = [];
const listen = (reason) => lost.push(reason);
let session;
let text;
before(async () => {
  process.on('unhandledRejection', listen);
  session = await InferenceSession.create(bytes);
  text = await InferenceSession.create(identityModel(tensorType('string')));
});
after(async () => {
  await session.release();
  await text.release();
  process.off('unhandledRejection', listen);
});

const x = () => new Tensor('float32', [1, 1, 1, 1, 1, 1], [2, 3]);

const kSessionOptions = [
  'executionProviders',
  'freeDimensionOverrides',
  'graphOptimizationLevel',
  'externalData',
  'enableProfiling',
  'onProgress',
  'signal',
  'intraOpNumThreads',
  'executionMode',
  'logSeverityLevel',
  'logId',
  'extra',
  'preferredOutputLocation',
  'int64',
  'customOperators',
];
const kRunOptions = ['signal', 'profile', 'tag', 'terminate', 'logSeverityLevel', 'extra', 'int64'];
const kImageOptions = ['format', 'tensorFormat', 'tensorLayout', 'dataType', 'norm', 'resizedWidth', 'resizedHeight'];

/** Every public function, with `g` as one of its arguments. */
const kCalls = {
  'create(g)': (g) => InferenceSession.create(g),
  'create(buffer, g)': (g) => InferenceSession.create(bytes.buffer, g),
  'create(buffer, 0, g)': (g) => InferenceSession.create(bytes.buffer, 0, g),
  'create(buffer, 0, 5, g)': (g) => InferenceSession.create(bytes.buffer, 0, 5, g),
  'create(bytes, g)': (g) => InferenceSession.create(bytes, g),
  'externalData: [g]': (g) => InferenceSession.create(bytes, { externalData: [g] }),
  'externalData.path': (g) => InferenceSession.create(bytes, { externalData: [{ path: g, data: bytes }] }),
  'externalData.data': (g) => InferenceSession.create(bytes, { externalData: [{ path: 'w', data: g }] }),
  'executionProviders: [g]': (g) => InferenceSession.create(bytes, { executionProviders: [g] }),
  'freeDimensionOverrides: {n: g}': (g) => InferenceSession.create(bytes, { freeDimensionOverrides: { n: g } }),
  'onProgress throws g': (g) =>
    InferenceSession.create(bytes, {
      onProgress: () => {
        throw g;
      },
    }),
  'new InferenceSession(g)': (g) => new InferenceSession(g, g, g, g),
  'run(g)': (g) => session.run(g),
  'run({x: g})': (g) => session.run({ x: g }),
  'run({x}, g)': (g) => session.run({ x: x() }, g),
  'run({x}, [g])': (g) => session.run({ x: x() }, [g]),
  'run({x}, {y: g})': (g) => session.run({ x: x() }, { y: g }),
  'run({x}, ["y"], g)': (g) => session.run({ x: x() }, ['y'], g),
  'tensor of g as type': (g) => session.run({ x: { type: g, dims: [2, 3], data: new Float32Array(6) } }),
  'tensor of g as dims': (g) => session.run({ x: { type: 'float32', dims: g, data: new Float32Array(6) } }),
  'tensor of g as data': (g) => session.run({ x: { type: 'float32', dims: [2, 3], data: g } }),
  'tensor changed to g as type': (g) => session.run({ x: Object.assign(x(), { type: g }) }),
  'tensor changed to g as dims': (g) => session.run({ x: Object.assign(x(), { dims: g }) }),
  'string element': (g) => {
    const words = new Tensor('string', ['a', 'b'], [2]);
    words.data[1] = g;
    return text.run({ x: words });
  },
  'new Tensor(g)': (g) => new Tensor(g),
  'new Tensor("float32", g)': (g) => new Tensor('float32', g),
  'new Tensor("string", g)': (g) => new Tensor('string', g),
  'new Tensor("bool", [g])': (g) => new Tensor('bool', [g]),
  'new Tensor("int64", [g])': (g) => new Tensor('int64', [g]),
  'new Tensor("string", [g])': (g) => new Tensor('string', [g]),
  'new Tensor("float32", [1], g)': (g) => new Tensor('float32', [1], g),
  'new Tensor("float32", [1], [g])': (g) => new Tensor('float32', [1], [g]),
  'new Tensor(data, g)': (g) => new Tensor(new Float32Array(1), g),
  'reshape(g)': (g) => x().reshape(g),
  'reshape([g])': (g) => x().reshape([g]),
  'getData(g)': (g) => x().getData(g),
  'fromImage(g)': (g) => Tensor.fromImage(g),
  'fromImage(image, g)': (g) => Tensor.fromImage(new Blob(['x']), g),
  'toImageData(g)': (g) => x().toImageData(g),
  'toDataURL(g)': (g) => x().toDataURL(g),
  ...Object.fromEntries(
    kSessionOptions.map((name) => [`create: ${name}`, (g) => InferenceSession.create(bytes, { [name]: g })]),
  ),
  ...Object.fromEntries(kRunOptions.map((name) => [`run: ${name}`, (g) => session.run({ x: x() }, { [name]: g })])),
  ...Object.fromEntries(kImageOptions.map((name) => [`toImageData: ${name}`, (g) => x().toImageData({ [name]: g })])),
  ...Object.fromEntries(
    kImageOptions.map((name) => [`fromImage: ${name}`, (g) => Tensor.fromImage(new Blob(['x']), { [name]: g })]),
  ),
  ...Object.fromEntries(
    ['numThreads', 'wasmPaths', 'wasmBinary', 'wasmModule', 'codecs', 'initTimeout', 'simd', 'proxy', 'trace'].map(
      (name) => [
        `env.wasm.${name}`,
        async (g) => {
          const before = env.wasm[name];
          env.wasm[name] = g;
          const made = InferenceSession.create(bytes);
          env.wasm[name] = before;
          return made;
        },
      ],
    ),
  ),
};

for (const [what, use] of Object.entries(kCalls)) {
  test(what, async () => {
    for (const [name, make] of kGarbage) {
      const garbage = make();
      try {
        const result = await use(garbage);
        if (result instanceof InferenceSession) await result.release();
      } catch (error) {
        assert.ok(error instanceof OnnxError, `${name}: ${error?.stack ?? String(error)} is no OnnxError`);
        assert.notEqual(error.code, 'instance_lost', `${name}: ${error.message}`);
        assert.ok(error.message.length > 10, name);
      }
    }
    assert.deepEqual([...(await session.run({ x: x() })).y.data], [2, 3, 4, 0, 0, 0]);
    // Promises that no one looks after are reported once the queue of tasks has run.
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.deepEqual(lost.splice(0), []);
  });
}

test('settings that would pass silently are refused', async () => {
  const refused = [
    [{ graphOptimizationLevel: 'constructor' }, /there is no graphOptimizationLevel "constructor"/],
    [{ executionProviders: [null] }, /executionProviders\[0\] must be a name or \{name\}, not null/],
    [{ enableProfiling: 'yes' }, /'enableProfiling' must be true or false, not "yes"/],
    [{ freeDimensionOverrides: [1] }, /'freeDimensionOverrides' must be an object/],
    [{ preferredOutputLocation: 'gpu-buffer' }, /'preferredOutputLocation' must be "cpu"/],
    [{ logSeverityLevel: 7 }, /'logSeverityLevel' must be 0, 1, 2, 3 or 4, not 7/],
  ];
  for (const [options, message] of refused) {
    await assert.rejects(InferenceSession.create(bytes, options), { code: 'invalid_argument', message });
  }
  for (const [name, value, message] of [
    ['numThreads', -1, /env\.wasm\.numThreads must be a whole number from 0 on, not -1/],
    ['numThreads', 'x', /not "x"/],
    ['wasmPaths', 5, /env\.wasm\.wasmPaths must be a string or \{wasm, mjs\}, not 5/],
    ['wasmBinary', 'x', /env\.wasm\.wasmBinary must be an ArrayBuffer or a Uint8Array, not "x"/],
    ['wasmModule', {}, /env\.wasm\.wasmModule must be a WebAssembly\.Module, not an object/],
    ['initTimeout', 'soon', /env\.wasm\.initTimeout must be a number of milliseconds/],
  ]) {
    env.wasm[name] = value;
    await assert.rejects(InferenceSession.create(bytes), { code: 'invalid_argument', message });
    delete env.wasm[name];
  }
  await assert.rejects(session.run({ x: x() }, { profile: 'yes' }), { message: /'profile' must be true or false/ });
});

test('what cannot be read any more is named as such', async () => {
  const stream = () => new Blob([bytes]).stream();
  const locked = stream();
  locked.getReader();
  const response = new Response(bytes);
  response.body.getReader();
  for (const [model, message] of [
    [locked, /the stream is locked/],
    [response, /the response is locked/],
    [detached(), /detached/],
    [detached().buffer, /detached/],
    ['file://host/x', /file:\/\/host\/x names no file here/],
    ['file://%zz', /names no file here/],
  ]) {
    await assert.rejects(
      InferenceSession.create(model),
      (error) => error instanceof OnnxError && message.test(error.message),
    );
  }
});

test('a download is ended when something else fails', async () => {
  let cancelled = 0;
  const stream = new ReadableStream({ cancel: () => ++cancelled });
  env.wasm.wasmPaths = 'file:///there/is/no/such/folder/';
  await assert.rejects(InferenceSession.create(stream), { code: 'load_failed' });
  delete env.wasm.wasmPaths;
  assert.equal(cancelled, 1);
});

test('text that UTF-8 cannot hold is refused, wherever it stands, and all other text stays', async () => {
  const good = ['', 'é', '😀', 'a\0b', '\ufffd', '\u{10ffff}'];
  assert.deepEqual((await text.run({ x: new Tensor('string', good, [good.length]) })).y.data, good);
  const half = /element 1 of the data has half of a surrogate pair/;
  const refused = { code: 'invalid_input', message: half };
  for (const bad of ['\ud800', '\udc00', 'a\ud83d', '\ude00\ud83d'])
    await assert.rejects(text.run({ x: new Tensor('string', ['a', bad], [2]) }), refused);
  const type = tensorType('string');
  const sequence = await InferenceSession.create(identityModel(sequenceType(type)));
  const x = [new Tensor('string', ['a'], [1]), new Tensor('string', ['a', '\ud800'], [2])];
  await assert.rejects(sequence.run({ x }), refused);
  await sequence.release();
});

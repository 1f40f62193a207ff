// A program as its users write them, for onnxruntime-web 1.30: it prints what it sees. dropin.test.mjs runs it twice, the
// second time with another module in the import, and both must print the same.
import { readFileSync } from 'node:fs';
import * as ort from 'onnxruntime-web';

const folder = process.argv[2];
const file = (name) => `${folder}/${name}.onnx`;
const bytes = (name) => new Uint8Array(readFileSync(file(name)));
const print = (what, value) =>
  console.log(
    `${what}: ${JSON.stringify(value, (_, x) => (typeof x === 'bigint' ? `${x}n` : ArrayBuffer.isView(x) ? [x.constructor.name, ...x] : x))}`,
  );
const shown = (t) => ({ type: t.type, dims: t.dims, size: t.size, location: t.location, data: t.data });
const fails = async (what, action) => {
  try {
    await action();
    print(what, 'no error');
  } catch (error) {
    print(what, error instanceof Error);
  }
};

// Settings.
ort.env.wasm.numThreads = 1;
ort.env.wasm.proxy = false;
ort.env.wasm.simd = true;
ort.env.wasm.initTimeout = 60_000;
ort.env.logLevel = 'error';
print('env', [typeof ort.env.versions.common, typeof ort.env.wasm, typeof ort.env.webgl, typeof ort.env.webgpu]);

// Tensors of every type, made in every way.
const tensors = [
  new ort.Tensor('float32', [1.5, -2, 3, 4], [2, 2]),
  new ort.Tensor('float32', Float32Array.of(1, 2), [2, 1]),
  new ort.Tensor(Float32Array.of(1, 2, 3)),
  new ort.Tensor('float64', [1, 2], [2]),
  new ort.Tensor('int8', [-1, 2]),
  new ort.Tensor('uint8', Uint8ClampedArray.of(1, 255)),
  new ort.Tensor(Uint8ClampedArray.of(3)),
  new ort.Tensor('int16', Int16Array.of(-5), [1, 1, 1]),
  new ort.Tensor('uint16', [65535]),
  new ort.Tensor('int32', [7], []),
  new ort.Tensor('uint32', Uint32Array.of(2 ** 31)),
  new ort.Tensor('int64', [1, -2], [2]),
  new ort.Tensor('int64', [1n, -2n]),
  new ort.Tensor(BigInt64Array.of(9n)),
  new ort.Tensor('uint64', [2n ** 63n]),
  new ort.Tensor('bool', [true, false, true], [3]),
  new ort.Tensor([true, false]),
  new ort.Tensor('string', ['a', 'b', 'c', 'd'], [2, 2]),
  new ort.Tensor(['x', 'y']),
  new ort.Tensor('float16', Uint16Array.of(0x3c00, 0xc000), [2]),
  new ort.Tensor('int4', Uint8Array.of(0x21, 0x03), [3]),
  new ort.Tensor('float32', [], [0, 4]),
];
for (const t of tensors) print('tensor', shown(t));
print('reshape', shown(tensors[0].reshape([4, 1])));
print('getData', await tensors[0].getData());
print('getData, releasing', [await tensors[0].getData(true), tensors[0].location]);
print('pinned', shown(ort.Tensor.fromPinnedBuffer('float32', Float32Array.of(1, 2), [1, 2])));
tensors[1].dispose();
print('disposed', tensors[1].location);
tensors[2].dims = [1, 3];
print('dims can be set', tensors[2].dims);
await fails('data of a disposed tensor', () => tensors[1].data);
await fails('a type that is none', () => new ort.Tensor('float33', [1]));
await fails('a length that does not fit', () => new ort.Tensor('float32', [1, 2], [3]));
await fails('a negative dimension', () => new ort.Tensor('float32', [1], [-1]));
await fails('a type from nothing', () => new ort.Tensor([]));
await fails('numbers as strings', () => new ort.Tensor('string', 'text'));

// Sessions from everything that is a model.
const buffer = bytes('sums').buffer;
const padded = new Uint8Array(buffer.byteLength + 24);
padded.set(new Uint8Array(buffer), 8);
const sessions = [
  await ort.InferenceSession.create(file('sums')),
  await ort.InferenceSession.create(bytes('sums'), { executionProviders: ['wasm'], graphOptimizationLevel: 'all' }),
  await ort.InferenceSession.create(buffer, { executionProviders: [], logSeverityLevel: 3 }),
  await ort.InferenceSession.create(padded.buffer, 8, buffer.byteLength, { executionProviders: [{ name: 'cpu' }] }),
  await ort.InferenceSession.create(padded.buffer, 8, buffer.byteLength),
  await ort.InferenceSession.create(bytes('sums'), {
    graphOptimizationLevel: 'disabled',
    freeDimensionOverrides: { n: 2 },
  }),
];
const a = new ort.Tensor('float32', [1, 2, 3, 4], [2, 2]);
const b = new ort.Tensor('float32', [10, 20, 30, 40], [2, 2]);
for (const session of sessions) {
  print('names', [session.inputNames, session.outputNames]);
  const results = await session.run({ a, b });
  print(
    'results',
    Object.entries(results).map(([name, t]) => [name, shown(t), t instanceof ort.Tensor]),
  );
}
const [session] = sessions;
const nothing = { executionProviders: null, freeDimensionOverrides: null, externalData: null, logSeverityLevel: null };
sessions.push(await ort.InferenceSession.create(bytes('sums'), { ...nothing, preferredOutputLocation: null }));
print('options that are null', (await sessions.at(-1).run({ a, b })).sum.data);
print('metadata', [session.inputMetadata, session.outputMetadata]);
print('fetch list', Object.keys(await session.run({ a, b }, ['difference'])));
print('fetch map', Object.keys(await session.run({ a, b }, { sum: null })));
print('options', Object.keys(await session.run({ a, b }, { logSeverityLevel: 4, tag: 'x' })));
print('fetch map without values', Object.keys(await session.run({ a, b }, { sum: undefined })));
print('both', Object.keys(await session.run({ a, b }, ['sum'], { tag: 'x' })));
print('other shape', shown((await session.run({ a: a.reshape([2, 2]), b: tensors[0] })).sum));
await fails('a missing input', () => session.run({ a }));
await fails('an unknown output', () => session.run({ a, b }, ['quotient']));
await fails('an empty fetch list', () => session.run({ a, b }, []));
await fails('a wrong type', () => session.run({ a, b: new ort.Tensor('int32', [1, 2, 3, 4], [2, 2]) }));
await fails('a wrong shape', () => session.run({ a, b: new ort.Tensor('float32', [1, 2, 3], [3, 1]) }));
await fails('no feeds', () => session.run());
await fails('a run that is to end', () => session.run({ a, b }, { terminate: true }));
const given = new ort.Tensor('float32', [1, 2, 3, 4], [2, 2]);
const queued = [session.run({ a, b }), session.run({ a: given, b })];
given.dispose();
print('disposed after the call', (await Promise.all(queued))[1].sum.data);
print('still works', (await session.run({ a, b })).sum.data);
await fails('no model', () => ort.InferenceSession.create(new Uint8Array(64).fill(7)));
await fails('no file', () => ort.InferenceSession.create(`${folder}/there/is/none.onnx`));
await fails('no provider', () => ort.InferenceSession.create(buffer, { executionProviders: ['webgl2000'] }));
await fails('an option of a wrong type', () => ort.InferenceSession.create(buffer, 'options'));

// Other element types through a model, and weights in a file of their own.
for (const type of ['int64', 'string', 'bool', 'float16', 'uint8', 'float64']) {
  const same = await ort.InferenceSession.create(bytes(type));
  const x = { int64: [5n, -6n], string: ['ä', '∑'], bool: [true, false], uint8: [0, 255], float64: [0.1, -0.2] }[type];
  const { y } = await same.run({ x: new ort.Tensor(type, x ?? Uint16Array.of(1, 0x7c00), [2]) });
  print(`through a model: ${type}`, shown(y));
  await same.release();
}
const data = new Uint8Array(readFileSync(`${folder}/weights.bin`));
const external = await ort.InferenceSession.create(bytes('external'), {
  externalData: [{ path: 'weights.bin', data }],
});
print('external data', shown((await external.run({ x: a })).y));
session.startProfiling?.call(session);
for (const each of sessions) await each.release();
await fails('after release', () => session.run({ a, b }));

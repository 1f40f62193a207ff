// A page's program as its users write them, for onnxruntime-web 1.30: `lines` is what it sees. dropin.test.mjs runs it with
// onnxruntime-web and with this package behind the import, and both must see the same. `?proxy` has a worker run the models.
import * as ort from 'onnxruntime-web';

const lines = [];
const plain = (x) => (ArrayBuffer.isView(x) ? [x.constructor.name, ...x] : typeof x === 'bigint' ? `${x}n` : x);
const print = (what, value) => lines.push(`${what}: ${JSON.stringify(value, (_, x) => plain(x))}`);
const shown = ({ type, dims, size, location, data }) => ({ type, dims, size, location, data });
const outputs = (results) => Object.entries(results).map(([name, t]) => [name, shown(t), t instanceof ort.Tensor]);
const fails = async (what, action) => {
  try {
    await action();
    print(what, 'no error');
  } catch (error) {
    print(what, error instanceof Error);
  }
};

ort.env.wasm.numThreads = 1;
ort.env.wasm.simd = true;
ort.env.wasm.proxy = new URLSearchParams(location.search).has('proxy');
ort.env.wasm.initTimeout = 120_000;
ort.env.wasm.wasmPaths = undefined;
ort.env.logLevel = 'fatal';
ort.env.debug = false;
print('env', [ort.env.wasm.numThreads, ort.env.wasm.proxy, ort.env.logLevel, typeof ort.env.versions.common]);

// A model from all that is one.
const response = await fetch('sums.onnx');
const buffer = await response.arrayBuffer();
const padded = new Uint8Array(buffer.byteLength + 24);
padded.set(new Uint8Array(buffer), 8);
const options = {
  executionProviders: ['wasm'],
  graphOptimizationLevel: 'all',
  logSeverityLevel: 4,
  ...(ort.env.wasm.proxy ? {} : { preferredOutputLocation: 'cpu' }),
  enableCpuMemArena: true,
  enableMemPattern: true,
  executionMode: 'sequential',
  extra: { session: { disable_prepacking: '1' } },
};
const sessions = [
  await ort.InferenceSession.create('sums.onnx'),
  await ort.InferenceSession.create(new URL('sums.onnx', location.href).href, options),
  await ort.InferenceSession.create(new Uint8Array(buffer.slice(0)), { executionProviders: [] }),
  await ort.InferenceSession.create(buffer.slice(0), { executionProviders: [{ name: 'cpu' }] }),
  await ort.InferenceSession.create(padded.buffer.slice(0), 8, buffer.byteLength, { logId: 'x', logVerbosityLevel: 0 }),
  await ort.InferenceSession.create('sums.onnx', { freeDimensionOverrides: { n: 2 }, enableProfiling: false }),
];
const tensor = (...data) => new ort.Tensor('float32', Float32Array.from(data), [2, 2]);
for (const session of sessions) {
  print('names', [session.inputNames, session.outputNames]);
  print('results', outputs(await session.run({ a: tensor(1, 2, 3, 4), b: tensor(10, 20, 30, 40) })));
}
const [session] = sessions;
const feeds = () => ({ a: tensor(1, 2, 3, 4), b: tensor(10, 20, 30, 40) });
print('metadata', [session.inputMetadata, session.outputMetadata]);
print('metadata of a fixed dimension', [sessions.at(-1).inputMetadata, sessions.at(-1).outputMetadata]);
print('fetch list', outputs(await session.run(feeds(), ['difference'])));
print('fetch map', outputs(await session.run(feeds(), { sum: null }, { tag: 'x', logSeverityLevel: 4 })));
print('two at once', (await Promise.all([sessions[0], sessions[1]].map((s) => s.run(feeds())))).map(outputs));
const kept = feeds();
const { sum } = await session.run(kept);
print('getData', await sum.getData());
print('reshape', shown(sum.reshape([4])));
print('results as feeds', shown((await session.run({ a: sum, b: tensor(1, 1, 1, 1) })).sum));
sum.dispose();
print('disposed', sum.location);
await fails('data of a disposed tensor', () => sum.data);

// Weights in files of their own. In a worker, onnxruntime-web looks for relative paths beside the worker.
const weights = () => fetch('weights.bin');
const relative = [
  ['a path', ['weights.bin']],
  ['a relative URL', [{ path: './weights.bin', data: 'other/../weights.bin' }]],
];
for (const [what, externalData] of [
  ...(ort.env.wasm.proxy ? [] : relative),
  ['a URL', [{ path: 'weights.bin', data: new URL('weights.bin', location.href).href }]],
  ['a Blob', [{ path: 'weights.bin', data: await (await weights()).blob() }]],
  ['bytes', [{ path: 'weights.bin', data: new Uint8Array(await (await weights()).arrayBuffer()) }]],
  ['a buffer', [{ path: 'weights.bin', data: await (await weights()).arrayBuffer() }]],
]) {
  const external = await ort.InferenceSession.create('external.onnx', { externalData });
  print(`external data: ${what}`, outputs(await external.run({ x: tensor(1, 2, 3, 4) })));
  await external.release();
}
await fails('no external data', () => ort.InferenceSession.create('external.onnx'));

// Pictures into a model and out of it.
const [width, height] = [4, 3];
const pixels = Uint8ClampedArray.from({ length: 4 * width * height }, (_, i) => (i % 4 === 3 ? 255 : (i * 37) % 256));
const picture = new ImageData(pixels, width, height);
const canvas = Object.assign(document.createElement('canvas'), { width, height });
canvas.getContext('2d').putImageData(picture, 0, 0);
const element = Object.assign(new Image(), { src: canvas.toDataURL() });
await element.decode();
const same = await ort.InferenceSession.create('float32.onnx');
for (const [what, make] of [
  ['ImageData', () => ort.Tensor.fromImage(picture, { tensorFormat: 'BGR', norm: { mean: 255, bias: 0 } })],
  ['an element', () => ort.Tensor.fromImage(element)],
  ['a URL', () => ort.Tensor.fromImage(canvas.toDataURL(), { tensorFormat: 'RGB' })],
  ['a bitmap', async () => ort.Tensor.fromImage(await createImageBitmap(picture), {})],
]) {
  const { y } = await same.run({ x: await make() });
  print(`a picture: ${what}`, shown(y));
  print('pixels', y.toImageData().data);
  print('a data URL', y.toDataURL().startsWith('data:image/png;base64,'));
}

await fails('no such file', () => ort.InferenceSession.create('none.onnx'));
await fails('HTML', () => ort.InferenceSession.create('./'));
await fails('no model', () => ort.InferenceSession.create(new Uint8Array(64).fill(7)));
await fails('no such provider', () => ort.InferenceSession.create('sums.onnx', { executionProviders: ['none'] }));
await fails('a missing input', () => session.run({ a: tensor(1, 2, 3, 4) }));
await fails('an unknown output', () => session.run(feeds(), ['none']));
await fails('a wrong shape', () => session.run({ ...feeds(), b: new ort.Tensor('float32', [1, 2, 3], [3, 1]) }));
print('still works', outputs(await session.run(feeds())));
for (const each of [...sessions, same]) await each.release();
await fails('after release', () => session.run(feeds()));
globalThis.lines = lines;

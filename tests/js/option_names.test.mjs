// Mistyped options: the console names the one that is meant, once; what other runtimes know is passed over in silence.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { env, goodModel, InferenceSession, Tensor } from './make_model.mjs';

const { warn } = console;
let said = [];
beforeEach(() => {
  said = [];
  console.warn = (text) => said.push(text);
});
afterEach(() => {
  console.warn = warn;
  for (const name of Object.keys(env.wasm)) delete env.wasm[name];
  for (const name of Object.keys(env))
    if (!/^(logLevel|debug|trace|versions|wasm|webgl|webgpu)$/.test(name)) delete env[name];
  env.logLevel = 'warning';
});

const x = new Tensor('float32', new Float32Array(6).fill(1), [2, 3]);
async function made(options, runOptions) {
  const session = await InferenceSession.create(goodModel(), options);
  assert.deepEqual([...(await session.run({ x }, runOptions)).y.data], [2, 3, 4, 0, 0, 0]);
  await session.release();
  // What finds the names comes later.
  await import('../../dist/option_names.js');
  await new Promise((resolve) => setTimeout(resolve, 5));
}

for (const [wrong, meant] of [
  ['graphOptimisationLevel', 'graphOptimizationLevel'],
  ['optimizationLevel', 'graphOptimizationLevel'],
  ['executionProvider', 'executionProviders'],
  ['freeDimensionOverride', 'freeDimensionOverrides'],
  ['enableProfilling', 'enableProfiling'],
  ['onprogress', 'onProgress'],
  ['Worker', 'worker'],
  ['numThreads', 'env.wasm.numThreads'],
]) {
  test(`the session option ${wrong}`, async () => {
    await made({ [wrong]: 'anything' });
    assert.deepEqual(said, [`sardonyx: there is no session option "${wrong}", it is ignored: is "${meant}" meant?`]);
    await made({ [wrong]: 'anything' });
    assert.equal(said.length, 1);
  });
}

test('run options', async () => {
  await made({}, { singal: undefined, Profile: true });
  assert.equal(said.length, 2);
  assert.match(said[0], /run option "singal".*"signal" meant/);
  assert.match(said[1], /run option "Profile".*"profile" meant/);
});

test('env and env.wasm', async () => {
  env.wasm.numThread = 1;
  env.wasm.wasmPath = '/';
  env.numThreads = 1;
  env.loglevel = 'verbose';
  await made();
  assert.equal(said.length, 4);
  assert.match(said.join('\n'), /no env "numThreads".*"env.wasm.numThreads" meant/);
  assert.match(said.join('\n'), /no env "loglevel".*"logLevel" meant/);
  assert.match(said.join('\n'), /no env.wasm "numThread".*"numThreads" meant/);
  assert.match(said.join('\n'), /no env.wasm "wasmPath".*"wasmPaths" meant/);
});

test('what onnxruntime-web knows, and what is like nothing here', async () => {
  env.webnn = {};
  env.someFramework = { useBrowserCache: true };
  env.webgpu.powerPreference = 'low-power';
  env.wasm.onnxPath = 'x';
  const options = {
    executionProviders: ['wasm'],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    freeDimensionOverrides: {},
    graphOptimizationLevel: 'all',
    enableCpuMemArena: true,
    enableMemPattern: true,
    executionMode: 'sequential',
    optimizedModelFilePath: '',
    enableProfiling: false,
    profileFilePrefix: '',
    logId: '',
    logSeverityLevel: 2,
    logVerbosityLevel: 0,
    preferredOutputLocation: 'cpu',
    enableGraphCapture: false,
    externalData: [],
    extra: { session: {} },
    device: 'wasm',
    dtype: 'q8',
  };
  await made(options, { logSeverityLevel: 2, logVerbosityLevel: 0, terminate: false, tag: '', extra: {} });
  assert.deepEqual(said, []);
});

test("env.logLevel = 'error' keeps it quiet", async () => {
  env.logLevel = 'error';
  await made({ executionmode: 'x' });
  assert.deepEqual(said, []);
});

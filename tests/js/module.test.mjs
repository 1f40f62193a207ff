// Where the WebAssembly module comes from, and what is said when it does not come.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, afterEach, before, test } from 'node:test';
import { env, goodModel, InferenceSession, OnnxError, Tensor } from './make_model.mjs';

const wasmUrl = new URL('../../dist/wasm/sardonyx-simd.wasm', import.meta.url);
const bytes = readFileSync(wasmUrl);
let server;
let base;

before(async () => {
  server = createServer((request, response) => {
    const [, kind, file] = request.url.split('/');
    if (kind === 'html') return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>');
    if (kind === 'untyped-html') return response.writeHead(200).end('\n<!doctype html><p>Hello</p>');
    if (kind === 'text') return response.writeHead(200).end('Not here');
    if (kind === 'slow') return undefined;
    const found = file === 'sardonyx-simd.wasm' && ['typed', 'untyped'].includes(kind);
    if (!found) return response.writeHead(404).end();
    response.writeHead(200, kind === 'typed' ? { 'content-type': 'application/wasm' } : {}).end(bytes);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  base = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  for (const name of Object.keys(env.wasm)) delete env.wasm[name];
});

async function works() {
  const session = await InferenceSession.create(goodModel());
  const x = new Tensor('float32', new Float32Array(6).fill(1), [2, 3]);
  assert.deepEqual([...(await session.run({ x })).y.data], [2, 3, 4, 0, 0, 0]);
  await session.release();
}

async function refuses(code, ...words) {
  await assert.rejects(InferenceSession.create(goodModel()), (error) => {
    assert.ok(error instanceof OnnxError, `${error} is no OnnxError`);
    assert.equal(error.code, code, error.message);
    for (const word of words) assert.match(error.message, word);
    return true;
  });
}

test('env has what existing programs set and read', () => {
  for (const name of ['numThreads', 'simd', 'proxy', 'wasmPaths', 'wasmBinary', 'initTimeout', 'trace']) {
    env.wasm[name] = undefined;
  }
  env.logLevel = 'error';
  env.debug = false;
  env.webgl.pack = true;
  env.webgpu.powerPreference = 'low-power';
  assert.match(env.versions.common, /^\d+\.\d+\.\d+$/);
  assert.equal(env.versions.web, undefined);
});

test('a compiled module', async () => {
  env.wasm.wasmModule = new WebAssembly.Module(bytes);
  await works();
});

// The module, with the sum of four floats where it should multiply them.
function wrongModule() {
  const wrong = new Uint8Array(bytes);
  const [simd, mul, add] = [0xfd, 0xe6, 0xe4];
  for (let i = 0; i + 2 < wrong.length; i++) {
    if (wrong[i] === simd && wrong[i + 1] === mul && wrong[i + 2] === 1) wrong[i + 1] = add;
  }
  return wrong;
}

test('the self-test', async () => {
  env.wasm.selfTest = true;
  await works();
  env.wasm.wasmBinary = wrongModule();
  await refuses('unsupported_platform', /self-test/, /Conv gives \S+ for \S+/);
  env.wasm.selfTest = undefined;
  await (await InferenceSession.create(goodModel())).release();
  env.wasm.selfTest = true;
  env.wasm.wasmBinary = bytes;
  await works();
});

test('the self-test, with threads and in a worker', async () => {
  Object.assign(env.wasm, { selfTest: true, numThreads: 2 });
  for (const worker of [false, true]) {
    const session = await InferenceSession.create(goodModel(), { worker });
    assert.deepEqual([session.info.threads, session.info.worker], [2, worker], session.info.why);
    await session.release();
  }
});

test('bytes', async () => {
  env.wasm.wasmBinary = bytes;
  await works();
  env.wasm.wasmBinary = new Uint8Array(bytes).buffer;
  await works();
  await works();
});

test('a folder, and a file', async () => {
  env.wasm.wasmPaths = `${base}/typed/`;
  await works();
  env.wasm.wasmPaths = `${base}/untyped/`;
  await works();
  env.wasm.wasmPaths = `${base}/typed`;
  await works();
  env.wasm.wasmPaths = { wasm: `${base}/typed/sardonyx-simd.wasm` };
  await works();
  env.wasm.wasmPaths = { wasm: wasmUrl };
  await works();
  env.wasm.wasmPaths = {};
  await works();
});

test('what is no module is named, and the next try works', async () => {
  env.wasm.wasmPaths = `${base}/html/`;
  await refuses('load_failed', /\/html\/sardonyx-simd\.wasm/, /HTML/);
  env.wasm.wasmPaths = `${base}/untyped-html/`;
  await refuses('load_failed', /\/untyped-html\//, /HTML/, /wasmPaths/);
  env.wasm.wasmPaths = `${base}/text/`;
  await refuses('load_failed', /\/text\//, /"Not here"/);
  env.wasm.wasmPaths = `${base}/missing/`;
  await refuses('load_failed', /\/missing\//, /404/, /wasmPaths/);
  env.wasm.wasmPaths = 'http://127.0.0.1:1/';
  await refuses('load_failed', /127\.0\.0\.1:1/);
  env.wasm.wasmPaths = undefined;
  env.wasm.wasmBinary = new Uint8Array(8);
  await refuses('load_failed', /wasmBinary/);
  // Half of it ends inside the code; a shorter piece may end between two sections and be a module of its own.
  env.wasm.wasmBinary = bytes.subarray(0, bytes.length >> 1);
  await refuses('unsupported_platform', /compile/);
  env.wasm.wasmBinary = undefined;
  env.wasm.wasmModule = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  await assert.rejects(InferenceSession.create(goodModel()), OnnxError);
  env.wasm.wasmModule = undefined;
  await works();
});

test('the module of something else is called that', async () => {
  // As it comes with another version, or from another package's folder.
  env.wasm.wasmBinary = readFileSync(new URL('sardonyx-codecs.wasm', wasmUrl));
  await refuses('unsupported_platform', /another version or package/);
  env.wasm.wasmBinary = undefined;
  env.wasm.wasmPaths = {
    wasm: new URL('../../node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm', import.meta.url),
  };
  await refuses('unsupported_platform', /another version or package/);
});

test('a detached buffer is no binary', async () => {
  env.wasm.wasmBinary = new ArrayBuffer(8);
  structuredClone(env.wasm.wasmBinary, { transfer: [env.wasm.wasmBinary] });
  await refuses('invalid_argument', /in env\.wasm is detached/);
});

test('an abort ends the wait', async () => {
  env.wasm.wasmPaths = `${base}/slow/`;
  for (const worker of [false, true]) {
    const signal = AbortSignal.timeout(50);
    await assert.rejects(InferenceSession.create(goodModel(), { signal, worker }), { code: 'aborted' });
  }
  env.wasm.wasmPaths = undefined;
  await works();
});

test('initTimeout ends the wait', async () => {
  env.wasm.initTimeout = 50;
  env.wasm.wasmPaths = `${base}/slow/`;
  await refuses('load_failed', /50 ms/);
});

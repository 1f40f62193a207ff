// Threads and workers in Chromium, under a Content-Security-Policy without blob:, in a page that is cross-origin
// isolated and in one that is not.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { goodModel, makeModel, node, port, tensorType } from '../js/make_model.mjs';
import { launch, serve, watch } from './browser.mjs';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const policy = {
  'content-security-policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
};
const isolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const html = '<!doctype html><title>test</title><script type="module" src="/app.js"></script>';
const kApp = `
import { InferenceSession, OnnxError, Tensor, env } from '/dist/index.js';
Object.assign(globalThis, { InferenceSession, OnnxError, Tensor, env });
globalThis.infoOf = async (settings, options) => {
  Object.assign(env.wasm, { numThreads: undefined, proxy: undefined, simd: undefined }, settings);
  const session = await InferenceSession.create('/good.onnx', options);
  const { y } = await session.run({ x: new Tensor('float32', new Float32Array(6).fill(1), [2, 3]) });
  await session.release();
  return { ...session.info, y: [...y.data] };
};
// What session.info says after the creation and after each run; the runs' sums.
globalThis.moves = async (model, runs, options) => {
  env.wasm.numThreads = 2;
  const session = await InferenceSession.create(model, options);
  const places = [];
  const sums = [];
  const here = () => (session.info.threads > 1 ? 'page, ' + session.info.threads : 'page');
  const note = () => places.push(session.info.worker ? session.info.threads : here());
  note();
  for (const dims of runs) {
    const size = dims.reduce((a, b) => a * b, 1);
    const x = new Tensor('float32', Float32Array.from({ length: size }, (_, i) => (i % 7) - 3), dims);
    const { y } = await session.run({ x });
    note();
    sums.push(y.data.reduce((a, b) => a + b, 0));
  }
  const memory = session.memory();
  const macs = session.macs();
  await session.release();
  return { places, sums, memory, macs, why: session.info.why };
};
globalThis.ready = true;
`;

const square = (dims) => tensorType('float32', dims);
/** y = x * x of matrices. */
const productOf = (dims) =>
  makeModel({
    node: [node('MatMul', ['x', 'x'], ['y'])],
    input: [port('x', square(dims))],
    output: [port('y', square(dims))],
  });
/** No products, but work: sines of sines. */
function sines() {
  const steps = Array.from({ length: 300 }, (_, i) =>
    node('Sin', [i ? `t${i}` : 'x'], [i === 299 ? 'y' : `t${i + 1}`]),
  );
  return makeModel({ node: steps, input: [port('x', square(['n']))], output: [port('y', square(['n']))] });
}
/** Of 9 MB, with nothing to do. */
function large() {
  const type = square(['n']);
  const unused = { name: 'w', data_type: 1, dims: [9 << 18], raw_data: new Uint8Array(9 << 20) };
  const steps = [node('Identity', ['x'], ['y']), node('Identity', ['w'], ['z'])];
  return makeModel({
    node: steps,
    initializer: [unused],
    input: [port('x', type)],
    output: [port('y', type), port('z', square([9 << 18]))],
  });
}
const kModels = {
  '/product.onnx': productOf([400, 400]),
  '/middle.onnx': productOf([200, 200]),
  '/any-product.onnx': productOf(['n', 'n']),
  '/sines.onnx': sines(),
  '/large.onnx': large(),
};

let server;
let browser;

before(async () => {
  server = await serve(
    {
      '/isolated': { text: html, headers: { ...policy, ...isolated } },
      '/plain': { text: html, headers: policy },
      '/no-workers': {
        text: html,
        headers: {
          ...policy,
          ...isolated,
          'content-security-policy': `${policy['content-security-policy']}; worker-src 'none'`,
        },
      },
      '/app.js': { text: kApp, type: 'text/javascript' },
      ...Object.fromEntries(
        Object.entries(kModels).map(([path, model]) => [
          path,
          { text: Buffer.from(model), type: 'application/octet-stream' },
        ]),
      ),
      '/good.onnx': { text: Buffer.from(goodModel()), type: 'application/octet-stream' },
      '/dist/': join(dist),
    },
    { 'cross-origin-embedder-policy': 'require-corp' },
  );
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

async function open(path) {
  const page = await browser.newPage();
  const problems = watch(page);
  await page.goto(server.origin + path);
  await page.waitForFunction(() => globalThis.ready);
  const infoOf = async (settings, options) => {
    const { y, ...info } = await page.evaluate(([s, o]) => infoOf(s, o), [settings, options]);
    assert.deepEqual(y, [2, 3, 4, 0, 0, 0]);
    return info;
  };
  return { page, problems, infoOf };
}

test('an isolated page: threads, in a worker', async () => {
  const { page, problems, infoOf } = await open('/isolated');
  for (const [simd, variant] of [
    ['fixed', 'simd-threads'],
    [true, 'relaxed-threads'],
  ]) {
    for (const numThreads of [2, 4]) {
      const info = await infoOf({ numThreads, simd }, { worker: true });
      assert.deepEqual([info.variant, info.threads, info.worker], [variant, numThreads, true], info.why);
    }
  }
  const one = await infoOf({ numThreads: 1 });
  assert.deepEqual([one.variant, one.threads, one.worker], ['relaxed', 1, false], one.why);
  const here = await infoOf({ numThreads: 2 }, { worker: false });
  assert.deepEqual([here.variant, here.threads, here.worker], ['relaxed', 1, false]);
  assert.match(here.why, /'worker'/);
  assert.deepEqual(problems, []);
  await page.close();
});

test('small models stay in the page, with threads where they pay; others move into a worker, for its threads', async () => {
  const { page, problems } = await open('/isolated');
  const moves = (...args) => page.evaluate((a) => globalThis.moves(...a), args);
  const small = Array(6).fill([8, 8]);
  const stays = await moves('/any-product.onnx', small);
  assert.deepEqual(stays.places, Array(7).fill('page'));
  assert.match(stays.why, /^relaxed: one thread in the page, of 2, and a run takes 0\.\d+ ms$/);
  // By its products: known when it is created, or when it runs; results are the same.
  const known = await moves('/product.onnx', [[400, 400]]);
  assert.deepEqual(known.places, [2, 2], known.why);
  assert.match(known.why, /relaxed-threads.*2 threads: asked for; in a worker: a run takes 64 million multiply-adds/);
  const open_ = await moves('/any-product.onnx', [
    [8, 8],
    [400, 400],
    [8, 8],
  ]);
  assert.deepEqual(open_.places, ['page', 'page', 2, 2], open_.why);
  assert.deepEqual(open_.sums, [stays.sums[0], known.sums[0], stays.sums[0]]);
  assert.equal(open_.macs, 512);
  assert.ok(known.memory.heap > 0 && known.macs === 64e6);
  // Between them the page waits for threads of its own; results are the same.
  const alone = await moves('/middle.onnx', [[200, 200]], { worker: false });
  assert.deepEqual(alone.places, ['page', 'page'], alone.why);
  const between = await moves('/middle.onnx', Array(20).fill([200, 200]));
  assert.deepEqual(between.places, Array(21).fill('page, 2'), between.why);
  assert.match(between.why, /relaxed-threads.*2 threads: asked for; in the page: a run takes 8 million multiply-adds/);
  assert.deepEqual(new Set(between.sums), new Set(alone.sums));
  // By its time.
  const slow = await moves('/sines.onnx', Array(5).fill([100_000]));
  assert.deepEqual(slow.places, ['page', 'page', 'page', 'page', 2, 2], slow.why);
  assert.match(slow.why, /a run takes [\d.]+ ms$/);
  assert.equal(new Set(slow.sums).size, 1);
  // By its size, which not all sources tell.
  for (const told of [true, false]) {
    const sized = await page.evaluate(async (known) => {
      const { body } = await fetch('/large.onnx');
      return globalThis.moves(known ? '/large.onnx' : body, [[3]]);
    }, told);
    assert.deepEqual(sized.places, [2, 2], sized.why);
  }
  // As the caller says.
  assert.deepEqual((await moves('/any-product.onnx', small, { worker: true })).places, Array(7).fill(2));
  assert.deepEqual((await moves('/product.onnx', [[400, 400]], { worker: false })).places, ['page', 'page']);
  assert.deepEqual(problems, []);
  await page.close();
});

test('a page that is not isolated: one thread, in a worker if asked', async () => {
  const { page, problems, infoOf } = await open('/plain');
  const info = await infoOf({ numThreads: 4 });
  assert.deepEqual([info.variant, info.threads, info.worker], ['relaxed', 1, false]);
  assert.match(info.why, /not cross-origin isolated/);
  const proxied = await infoOf({ numThreads: 4, proxy: true });
  assert.deepEqual([proxied.variant, proxied.threads, proxied.worker], ['relaxed', 1, true], proxied.why);
  const fixed = await infoOf({ simd: 'fixed' });
  assert.equal(fixed.variant, 'simd');
  assert.deepEqual(problems, []);
  await page.close();
});

test('a policy that forbids workers: the session runs in the page, and says why', async () => {
  const { page, infoOf } = await open('/no-workers');
  const info = await infoOf({ numThreads: 2 }, { worker: true });
  assert.deepEqual([info.threads, info.worker], [1, false]);
  assert.match(info.why, /because the session's worker has failed/);
  const moves = (...args) => page.evaluate((a) => globalThis.moves(...a), args);
  for (const model of ['/product.onnx', '/any-product.onnx']) {
    const stays = await moves(model, [
      [400, 400],
      [400, 400],
    ]);
    assert.deepEqual(stays.places, ['page', 'page', 'page']);
    assert.match(stays.why, /because the session's worker has failed/);
  }
  await page.close();
});

test('the page goes on while a worker runs; errors of the worker are OnnxErrors', async () => {
  const { page, infoOf } = await open('/isolated');
  await infoOf({ numThreads: 2 });
  const seen = await page.evaluate(async () => {
    const session = await InferenceSession.create('/good.onnx', { worker: true });
    const error = await session.run({ x: new Tensor('float32', new Float32Array(4), [2, 2]) }).catch((e) => e);
    const broken = await InferenceSession.create('/app.js', { worker: true }).catch((e) => e);
    const results = await Promise.all(
      [1, 2, 3].map(() => session.run({ x: new Tensor('float32', new Float32Array(6), [2, 3]) })),
    );
    const given = new Tensor(new Float32Array(6), [2, 3]);
    const { buffer } = given.data;
    results.push(await session.run(given, { transfer: true }));
    if (given.location !== 'none' || buffer.byteLength !== 0) throw new Error('the feed is not transferred');
    await session.release();
    return [error instanceof OnnxError, error.code, broken instanceof OnnxError, broken.code, results.length];
  });
  assert.deepEqual(seen, [true, 'invalid_input', true, 'invalid_model', 4]);
  await page.close();
});

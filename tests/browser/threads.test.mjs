// Threads and workers in Chromium, under a Content-Security-Policy without blob:, in a page that is cross-origin
// isolated and in one that is not.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { goodModel } from '../js/make_model.mjs';
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
globalThis.ready = true;
`;

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
      const info = await infoOf({ numThreads, simd });
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
  const info = await infoOf({ numThreads: 2 });
  assert.deepEqual([info.threads, info.worker], [1, false]);
  assert.match(info.why, /because the session's worker has failed/);
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
    await session.release();
    return [error instanceof OnnxError, error.code, broken instanceof OnnxError, broken.code, results.length];
  });
  assert.deepEqual(seen, [true, 'invalid_input', true, 'invalid_model', 3]);
  await page.close();
});

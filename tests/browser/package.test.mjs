// The packed package in a page of Chromium, from a static server, under a strict Content-Security-Policy.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fetchZoo } from '../../scripts/fetch-zoo.mjs';
import { goodModel, identityModel, tensorType } from '../js/make_model.mjs';
import { launch, serve, watch } from './browser.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' data:";

const kApp = `
import { InferenceSession, OnnxError, Tensor, env } from '/sub/sardonyx/dist/index.js';
import { readText } from '/examples/ctc.mjs';
import { recImage } from '/examples/text_image.mjs';
Object.assign(globalThis, { InferenceSession, OnnxError, Tensor, env, readText, recImage });
globalThis.ready = true;
`;

let folder;
let server;
let browser;
let page;
let problems;

before(async () => {
  const models = fetchZoo({ names: ['ch_PP-OCRv4_rec_infer.onnx', 'ppocr_keys_v1.txt'] });
  folder = mkdtempSync(join(tmpdir(), 'sardonyx-browser-'));
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }));
  execFileSync('tar', ['xzf', filename], { cwd: folder });
  const html = '<!doctype html><title>test</title><script type="module" src="/app.js"></script>';
  server = await serve({
    '/': { text: html, headers: { 'content-security-policy': kPolicy } },
    '/app.js': { text: kApp, type: 'text/javascript' },
    '/half.onnx': { text: Buffer.from(identityModel(tensorType('float16', ['n']))), type: 'application/octet-stream' },
    '/good.onnx': { text: Buffer.from(goodModel()), type: 'application/octet-stream' },
    '/sub/sardonyx/': join(folder, 'package'),
    '/examples/': join(root, 'examples'),
    '/models/': models,
  });
  browser = await launch();
  page = await browser.newPage();
  problems = watch(page);
  await page.goto(server.origin);
  await page.waitForFunction(() => globalThis.ready);
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

test('importing asks for nothing but the package', () => {
  assert.deepEqual(
    server.asked.filter((path) => path.endsWith('.wasm') || path.includes('/wasm/')),
    [],
  );
});

test('PP-OCRv4 reads HELLO WASM 257', async () => {
  const text = await page.evaluate(async () => {
    const session = await InferenceSession.create('/models/ch_PP-OCRv4_rec_infer.onnx');
    const image = new Tensor('float32', recImage(320), [1, 3, 48, 320]);
    const results = await session.run({ [session.inputNames[0]]: image });
    await session.release();
    return readText(results[session.outputNames[0]], await (await fetch('/models/ppocr_keys_v1.txt')).text());
  });
  assert.equal(text, 'HELLO WASM 257');
});

test('every kind of source', async () => {
  const outputs = await page.evaluate(async () => {
    const url = new URL('/good.onnx', location.href);
    const buffer = await (await fetch(url)).arrayBuffer();
    const sources = [
      '/good.onnx',
      url,
      await fetch(url),
      buffer,
      new Uint8Array(buffer),
      new Blob([buffer]),
      new File([buffer], 'good.onnx'),
      new Blob([buffer]).stream(),
    ];
    const all = [];
    for (const source of sources) {
      const session = await InferenceSession.create(source);
      const { y } = await session.run({ x: new Tensor('float32', new Float32Array(6).fill(1), [2, 3]) });
      all.push([...y.data].join());
      await session.release();
    }
    return all;
  });
  assert.deepEqual(outputs, Array(8).fill('2,3,4,0,0,0'));
});

test('what the server says instead of a model is named', async () => {
  const messages = await page.evaluate(async () => {
    const all = [];
    for (const source of ['/', '/missing.onnx', '/app.js']) {
      const error = await InferenceSession.create(source).catch((error) => error);
      all.push(`${error instanceof OnnxError} ${error.code}: ${error.message}`);
    }
    env.wasm.wasmPaths = '/';
    const error = await InferenceSession.create('/good.onnx').catch((error) => error);
    all.push(`${error instanceof OnnxError} ${error.code}: ${error.message}`);
    env.wasm.wasmPaths = undefined;
    return all;
  });
  assert.match(messages[0], /^true load_failed: .*HTML/);
  assert.match(messages[1], /^true load_failed: \/missing\.onnx.*404/);
  assert.match(messages[2], /^true invalid_model: /);
  assert.match(messages[3], /^true load_failed: .*sardonyx-simd\.wasm.*404/);
});

test('half floats are a Float16Array where the browser has one', async () => {
  const seen = await page.evaluate(async () => {
    const session = await InferenceSession.create('/half.onnx');
    const bits = new Tensor('float16', Uint16Array.of(0x3c00, 0xc000), [2]);
    const { y } = await session.run({ x: bits });
    await session.release();
    return { has: 'Float16Array' in globalThis, name: y.data.constructor.name, data: [...y.data] };
  });
  assert.deepEqual([seen.name, seen.data], seen.has ? ['Float16Array', [1, -2]] : ['Uint16Array', [0x3c00, 0xc000]]);
});

test('images become tensors, and tensors images', async () => {
  const seen = await page.evaluate(async () => {
    const image = new ImageData(Uint8ClampedArray.of(255, 0, 0, 255, 0, 51, 255, 255), 2, 1);
    const rgb = await Tensor.fromImage(image);
    const bgr = await Tensor.fromImage(image, { tensorFormat: 'BGR', tensorLayout: 'NHWC', dataType: 'uint8' });
    const back = rgb.toImageData();
    const resized = await Tensor.fromImage(image, { resizedWidth: 4, resizedHeight: 2 });
    return {
      rgb: [rgb.type, rgb.dims, [...rgb.data].map((x) => Math.round(x * 10) / 10)],
      bgr: [bgr.type, bgr.dims, [...bgr.data]],
      back: [back.width, back.height, [...back.data]],
      resized: resized.dims,
      url: rgb.toDataURL().slice(0, 22),
    };
  });
  assert.deepEqual(seen.rgb, ['float32', [1, 3, 1, 2], [1, 0, 0, 0.2, 0, 1]]);
  assert.deepEqual(seen.bgr, ['uint8', [1, 1, 2, 3], [0, 0, 255, 255, 51, 0]]);
  assert.deepEqual(seen.back, [2, 1, [255, 0, 0, 255, 0, 51, 255, 255]]);
  assert.deepEqual(seen.resized, [1, 3, 2, 4]);
  assert.equal(seen.url, 'data:image/png;base64,');
});

test('the policy was not broken, nothing was thrown', () => {
  // The requests that were meant to fail are the only complaints.
  assert.deepEqual(
    problems.filter((problem) => !/404/.test(problem)),
    [],
  );
});

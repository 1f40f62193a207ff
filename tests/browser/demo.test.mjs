// The demo page, built, under a sub-path of a static server: models are dropped, run, and shown; nothing leaves.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { goodModel, modelBytes, node, port } from '../models/tiny_model.mjs';
import { launch, serve, watch } from './browser.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder;
let server;
let browser;
let page;
let problems;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sardonyx-demo-'));
  const outDir = join(folder, 'site');
  await build({ root: join(root, 'demo'), logLevel: 'error', build: { outDir, emptyOutDir: true } });
  server = await serve({ '/some/where/': outDir });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  await page?.close();
  page = await browser.newPage();
  problems = watch(page);
  await page.goto(`${server.origin}/some/where/`);
});

const choose = (name, bytes) =>
  page.setInputFiles('#files', { name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) });

async function run() {
  await page.click('#run');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'done');
}

test('a model is chosen, filled, run, and its output shown', async () => {
  await choose('good.onnx', goodModel());
  await page.waitForSelector('#run-form:not([hidden])');
  assert.match(await page.textContent('#about'), /good\.onnx.*ai\.onnx 17.*Add 1, Relu 1.*relaxed/s);
  assert.match(await page.textContent('#inputs'), /x float32\[2, 3\]/);
  await page.selectOption('#inputs select', 'ones');
  await run();
  const text = await page.textContent('#outputs');
  assert.match(text, /y float32\[2, 3\]/);
  assert.match(text, /min 0, max 4, mean 1\.5/);
  assert.match(text, /largest: 4 at \[0, 2\]/);
  assert.match(text, /2, 3, 4, 0, 0, 0/);
  assert.match(await page.textContent('#timing'), /\d ms/);
  assert.deepEqual(problems, []);
});

test('a file that is dropped is taken', async () => {
  const data = await page.evaluateHandle(
    (bytes) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(bytes)], 'dropped.onnx'));
      return transfer;
    },
    [...goodModel()],
  );
  await page.dispatchEvent('#drop', 'drop', { dataTransfer: data });
  await page.waitForSelector('#run-form:not([hidden])');
  assert.match(await page.textContent('#about'), /dropped\.onnx/);
});

test('the sample finds the edges of an image', async () => {
  await page.click('#sample');
  await page.waitForSelector('#run-form:not([hidden])');
  await page.fill('#inputs input[type=number] >> nth=0', '32');
  await page.fill('#inputs input[type=number] >> nth=1', '48');
  await page.selectOption('#inputs select >> nth=0', 'image');
  const red = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(96, 64);
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, 48, 64);
    return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
  });
  await page.setInputFiles('#inputs input[type=file]', {
    name: 'half.png',
    mimeType: 'image/png',
    buffer: Buffer.from(red),
  });
  await page.check('#profile');
  await run();
  assert.match(await page.textContent('#outputs'), /edges float32\[1, 1, 32, 48\]/);
  // White beside transparent black: the brightest column of the drawing is at the middle.
  const columns = await page.evaluate(() => {
    const canvas = document.querySelector('#outputs canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 16, canvas.width, 1);
    return Array.from({ length: canvas.width }, (_, x) => data[4 * x]);
  });
  const inner = columns.slice(1, -1);
  assert.ok([23, 24].includes(1 + inner.indexOf(Math.max(...inner))), columns.join());
  assert.equal(columns[10], 0);
  assert.match(await page.textContent('#profile-table'), /Conv1/);
  assert.deepEqual(problems, []);
});

test('a narrow screen needs no scrolling to the side', async () => {
  await page.setViewportSize({ width: 340, height: 700 });
  await choose('good.onnx', goodModel());
  await page.waitForSelector('#run-form:not([hidden])');
  await run();
  const [scrollWidth, clientWidth] = await page.evaluate(() => {
    const page = document.documentElement;
    return [page.scrollWidth, page.clientWidth];
  });
  assert.ok(scrollWidth <= clientWidth, `${scrollWidth} > ${clientWidth}`);
});

test('what is wrong is shown, and the page goes on', async () => {
  await choose('page.onnx', Buffer.from('<!doctype html><html><body>404</body></html>'));
  await page.waitForSelector('#error:not([hidden])');
  assert.match(await page.textContent('#error'), /HTML/);
  assert.equal(await page.isVisible('#about'), false);
  const unknown = {
    node: [node('Frobnicate', ['x'], ['y'], 'odd')],
    input: [port('x', [2])],
    output: [port('y', [2])],
  };
  await choose('unknown.onnx', modelBytes(unknown));
  await page.waitForFunction(() => /Frobnicate/.test(document.getElementById('error').textContent));
  await choose('good.onnx', goodModel());
  await page.waitForSelector('#run-form:not([hidden])');
  assert.equal(await page.isVisible('#error'), false);
  await page.selectOption('#inputs select', 'text');
  await page.fill('#inputs textarea', 'one, two');
  await page.click('#run');
  await page.waitForSelector('#error:not([hidden])');
  assert.match(await page.textContent('#error'), /"one" is no number/);
  await page.fill('#inputs textarea', '0, 0, 0, 5, 5, 8');
  await run();
  assert.match(await page.textContent('#outputs'), /1, 2, 3, 1, 0, 2/);
});

test('symbolic dimensions of one name change together', async () => {
  const graph = {
    node: [node('Add', ['a', 'b'], ['y'])],
    input: [port('a', ['n', 2]), port('b', ['n', 2])],
    output: [port('y', ['n', 2])],
  };
  await choose('two.onnx', modelBytes(graph));
  await page.waitForSelector('#run-form:not([hidden])');
  await page.fill('#inputs input[type=number] >> nth=0', '3');
  assert.equal(await page.inputValue('#inputs input[type=number] >> nth=1'), '3');
  await run();
  assert.match(await page.textContent('#outputs'), /y float32\[3, 2\]/);
});

test('nothing leaves the page', async () => {
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await choose('good.onnx', goodModel());
  await page.waitForSelector('#run-form:not([hidden])');
  // Up to here: the worker and the module, of this site. From here on: nothing at all.
  const outside = requests.filter((url) => !url.startsWith(`${server.origin}/some/where/`));
  assert.deepEqual(outside, []);
  await page.context().setOffline(true);
  requests.length = 0;
  const asked = server.asked.length;
  await run();
  await choose('again.onnx', goodModel());
  await page.waitForFunction(() => /again/.test(document.getElementById('about').textContent));
  await run();
  assert.deepEqual(requests, []);
  assert.equal(server.asked.length, asked);
  await page.context().setOffline(false);
});

test('everything can be reached by the keyboard and has a name', async () => {
  await choose('good.onnx', goodModel());
  await page.waitForSelector('#run-form:not([hidden])');
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll('input, select, textarea, button')]
      .filter((control) => !control.labels?.length && !control.ariaLabel && !control.textContent.trim())
      .map((control) => control.outerHTML),
  );
  assert.deepEqual(nameless, []);
});

// The studio page: models are dropped or chosen, filled, run, and shown; wrong files, cancel, languages, colours.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { goodModel, modelBytes, node, port } from '../models/tiny_model.mjs';
import { choose, file, readyToRun, run, studioOfTests, tab } from './studio_page.mjs';

const site = studioOfTests();
let page;

beforeEach(async () => {
  page = await site.open();
});
afterEach(() => page.context().close());

const good = () => file('good.onnx', goodModel());

/** A model whose run takes long: `count` products of matrices of 768 x 768. */
function longModel(count) {
  const steps = Array.from({ length: count }, (_, i) => node('MatMul', [`v${i}`, 'x'], [`v${i + 1}`]));
  return modelBytes({
    node: [node('Identity', ['x'], ['v0']), ...steps],
    input: [port('x', [768, 768])],
    output: [port(`v${count}`, [768, 768])],
  });
}

test('a model is chosen, filled, run, and its output shown', async () => {
  await choose(page, good());
  await readyToRun(page);
  await tab(page, 'model');
  assert.match(await page.textContent('#about'), /good\.onnx.*ai\.onnx 17.*relaxed.*Add1.*Relu1/s);
  await tab(page, 'run');
  assert.match(await page.textContent('#inputs'), /x float32\[2, 3\]/);
  await page.selectOption('#inputs select', 'ones');
  await run(page);
  assert.match(await page.textContent('#outputs'), /y float32\[2, 3\] 6.*min 0, max 4, mean 1\.5/s);
  assert.deepEqual(await page.locator('#outputs td').allTextContents(), ['2', '3', '4', '0', '0', '0']);
  assert.match(await page.textContent('#timing'), /\d (ms|µs), heap/);
  assert.deepEqual(page.problems, []);
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
  await readyToRun(page);
  assert.equal(await page.textContent('#model-name'), 'dropped.onnx');
});

test('the sample finds the edges of an image', async () => {
  await page.click('#sample-edges');
  await readyToRun(page);
  await page.selectOption('#inputs select >> nth=0', 'image');
  const half = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(96, 64);
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, 48, 64);
    return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
  });
  await page.setInputFiles('#inputs input[type=file]', file('half.png', half, 'image/png'));
  // The open sides take the picture's size.
  await page.waitForFunction(() => document.querySelector('#inputs input[type=number]').value === '64');
  await page.fill('#inputs input[type=number] >> nth=0', '32');
  await page.fill('#inputs input[type=number] >> nth=1', '48');
  await run(page);
  assert.match(await page.textContent('#outputs'), /edges float32\[1, 1, 32, 48\]/);
  await page.selectOption('#outputs select', 'image');
  // White beside transparent black: the brightest column of the drawing is at the middle.
  const columns = await page.evaluate(() => {
    const canvas = document.querySelector('#outputs canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 16, canvas.width, 1);
    return Array.from({ length: canvas.width }, (_, x) => data[4 * x]);
  });
  const inner = columns.slice(1, -1);
  assert.ok([23, 24].includes(1 + inner.indexOf(Math.max(...inner))), columns.join());
  assert.equal(columns[10], 0);
  assert.deepEqual(page.problems, []);
});

test('what is wrong is shown, and the page goes on', async () => {
  await choose(page, file('page.onnx', '<!doctype html><html><body>404</body></html>'));
  await page.waitForSelector('#error:not([hidden])');
  assert.match(await page.textContent('#error'), /HTML/);
  await choose(page, file('a.txt', 'a'), file('b.txt', 'b'));
  await page.waitForFunction(() => /a\.txt, b\.txt/.test(document.getElementById('error').textContent));
  const odd = { node: [node('Frobnicate', ['x'], ['y'], 'odd')], input: [port('x', [2])], output: [port('y', [2])] };
  await choose(page, file('unknown.onnx', modelBytes(odd)));
  await page.waitForFunction(() => /Frobnicate/.test(document.getElementById('error').textContent));
  await choose(page, good());
  await readyToRun(page);
  assert.equal(await page.isVisible('#error'), false);
  await page.selectOption('#inputs select', 'text');
  await page.fill('#inputs textarea', 'one, two');
  await page.click('#run');
  await page.waitForSelector('#error:not([hidden])');
  assert.match(await page.textContent('#error'), /"one" is no number/);
  await page.fill('#inputs textarea', '[[0, 0, 0], [5, 5, 8]]');
  await run(page);
  assert.deepEqual(await page.locator('#outputs td').allTextContents(), ['1', '2', '3', '1', '0', '2']);
});

test('a run is cancelled between its nodes, the page answers meanwhile, and the model stays', async () => {
  await choose(page, file('long.onnx', longModel(3000)));
  await readyToRun(page);
  await page.click('#run');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'Running');
  await page.selectOption('#language', 'zh');
  assert.equal(await page.textContent('#run'), '运行');
  await page.selectOption('#language', 'en');
  await page.click('#cancel');
  await page.waitForFunction(() => /Cancelled/.test(document.getElementById('error').textContent));
  assert.equal(await page.isEnabled('#run'), true);
  assert.equal(await page.isVisible('#results'), false);
});

test('symbolic dimensions of one name change together', async () => {
  const graph = {
    node: [node('Add', ['a', 'b'], ['y'])],
    input: [port('a', ['n', 2]), port('b', ['n', 2])],
    output: [port('y', ['n', 2])],
  };
  await choose(page, file('two.onnx', modelBytes(graph)));
  await readyToRun(page);
  await page.fill('#inputs input[type=number] >> nth=0', '3');
  assert.equal(await page.inputValue('#inputs input[type=number] >> nth=1'), '3');
  await run(page);
  assert.match(await page.textContent('#outputs'), /y float32\[3, 2\]/);
});

test('a .npy file goes in, and one comes out', async () => {
  await choose(page, good());
  await readyToRun(page);
  await page.selectOption('#inputs select', 'ones');
  await run(page);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#outputs button')]);
  assert.equal(download.suggestedFilename(), 'y.npy');
  await page.selectOption('#inputs select', 'npy');
  await page.setInputFiles('#inputs input[type=file]', await download.path());
  await run(page);
  assert.deepEqual(await page.locator('#outputs td').allTextContents(), ['3', '5', '7', '0', '0', '0']);
});

test('other settings of the engine load the model again', async () => {
  await choose(page, good());
  await readyToRun(page);
  await page.click('.engine summary');
  await page.selectOption('#simd', 'fixed');
  await tab(page, 'model');
  await page.waitForFunction(() => / simd, 1 thread/.test(document.getElementById('about')?.textContent));
});

test('language and colours are kept', async () => {
  await page.selectOption('#language', 'zh');
  await page.selectOption('#theme', 'dark');
  await page.reload();
  await page.waitForSelector('#drop');
  assert.match(await page.textContent('#drop'), /把模型拖到这里/);
  assert.equal(await page.getAttribute('html', 'lang'), 'zh-Hans');
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(23, 22, 21)');
});

test('a narrow screen needs no scrolling to the side', async () => {
  await page.setViewportSize({ width: 340, height: 700 });
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok((await overflow()) <= 0);
  await choose(page, good());
  await readyToRun(page);
  await run(page);
  assert.ok((await overflow()) <= 0);
  await tab(page, 'model');
  assert.ok((await overflow()) <= 0);
});

test('nothing leaves the page', async () => {
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await choose(page, good());
  await readyToRun(page);
  // The types of values are the last that a model is loaded for.
  await page.waitForSelector('.graph-canvas canvas[data-types]', { state: 'attached' });
  // Up to here: the workers and the modules, of this site. From here on: nothing at all.
  assert.deepEqual(
    requests.filter((url) => !url.startsWith(site.url)),
    [],
  );
  await page.context().setOffline(true);
  requests.length = 0;
  const asked = site.server.asked.length;
  await run(page);
  await choose(page, file('again.onnx', goodModel()));
  await readyToRun(page);
  await run(page);
  assert.deepEqual(
    requests.filter((url) => !url.startsWith('blob:')),
    [],
  );
  assert.equal(site.server.asked.length, asked);
});

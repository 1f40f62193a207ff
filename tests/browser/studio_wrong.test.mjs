// The studio and what goes wrong: files that are no models, weights that are missing, loads that are cancelled.
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

const entry = (key, value) => ({ key, value });
/** Its weights are 12 bytes of w.bin. */
const outside = modelBytes({
  node: [node('Add', ['x', 'w'], ['y'], 'adder')],
  input: [port('x', [3])],
  output: [port('y', [3])],
  initializer: [
    {
      name: 'w',
      dims: [3],
      data_type: 1,
      data_location: 1,
      external_data: [entry('location', 'w.bin'), entry('offset', '0'), entry('length', '12')],
    },
  ],
});

const good = Buffer.from(goodModel());
for (const [what, files, message] of [
  ['text', [file('notes.txt', 'Models are to be had elsewhere.')], /notes\.txt/],
  ['text that is called a model', [file('notes.onnx', 'Models are to be had elsewhere.')], /notes\.onnx/],
  ['an empty file', [file('empty.onnx', '')], /empty/],
  ['a page', [file('saved.onnx', '<!doctype html>\n<title>404</title>')], /HTML/],
  ['a model cut off in its graph', [file('half.onnx', good.subarray(0, good.length / 2))], /half\.onnx/],
  ['a model cut off by a byte', [file('short.onnx', good.subarray(0, -1))], /short\.onnx/],
  ['a picture', [file('photo.png', '\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR', 'image/png')], /photo\.png/],
  ['an archive', [file('model.zip', 'PK\x03\x04\x14\x00\x00\x00\x08\x00')], /model\.zip/],
  ['weights that are missing', [file('outside.onnx', outside)], /w\.bin/],
  ['weights that are too short', [file('outside.onnx', outside), file('w.bin', 'abcd')], /w\.bin/],
]) {
  test(`${what}: an error that says so, and the page goes on`, async () => {
    await choose(page, ...files);
    await page.waitForSelector('#error:not([hidden])');
    const said = await page.textContent('#error');
    assert.match(said, message);
    await page.waitForSelector('#progress', { state: 'hidden' });
    await choose(page, file('good.onnx', good));
    await readyToRun(page);
    await run(page);
    assert.equal(await page.isVisible('#error'), false);
    assert.deepEqual(page.problems, []);
  });
}

test('a worker that dies in a run: an error, and the model can be loaded again', async () => {
  const other = await site.open({}, () => {
    const Made = globalThis.Worker;
    globalThis.Worker = class extends Made {
      // What a browser says of a worker that has no memory left, in place of its answer.
      postMessage(message, ...rest) {
        if (message.action === 'run' && globalThis.dies) {
          this.terminate();
          this.dispatchEvent(new ErrorEvent('error', { message: 'Out of memory' }));
        } else super.postMessage(message, ...rest);
      }
    };
  });
  await choose(other, file('good.onnx', good));
  await readyToRun(other);
  await other.evaluate(() => {
    globalThis.dies = true;
  });
  await other.click('#run');
  await other.waitForSelector('#view-run .load-again');
  assert.match(await other.textContent('#error'), /the worker ended: Out of memory/);
  await other.evaluate(() => {
    globalThis.dies = false;
  });
  await other.click('#view-run .load-again');
  await other.waitForSelector('#run:enabled');
  await run(other);
  assert.equal(await other.isVisible('#error'), false);
  await other.context().close();
});

test('a load is cancelled; the model can be loaded again', async () => {
  // Long to load: every node is bound, inferred, and looked at by every pass.
  const count = 30_000;
  const nodes = Array.from({ length: count }, (_, i) => node(i % 2 ? 'Relu' : 'Sigmoid', [`v${i}`], [`v${i + 1}`]));
  const bytes = modelBytes({ node: nodes, input: [port('v0', [1])], output: [port(`v${count}`, [1])] });
  await choose(page, file('long.onnx', bytes));
  await page.click('#cancel');
  await page.waitForFunction(() => /Cancelled/.test(document.getElementById('error').textContent));
  assert.equal(await page.locator('#run-form').count(), 0);
  // Its graph is there; what needs the session offers to load it again.
  for (const view of ['model', 'run', 'profile']) {
    await tab(page, view);
    await page.waitForSelector(`#view-${view} .load-again`);
  }
  await page.click('#view-profile .load-again');
  await page.waitForSelector('#progress:not([hidden])', { state: 'attached' });
  await page.click('#cancel');
  await page.waitForSelector('#view-profile .load-again');
  // The page answers, and another model loads at once.
  await choose(page, file('good.onnx', good));
  await readyToRun(page);
  await run(page);
  assert.deepEqual(page.problems, []);
});

// The studio and the browser's back and forward; what is dropped or opened while something else goes on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goodModel, modelBytes, node, port } from '../models/tiny_model.mjs';
import { choose, file, readyToRun, run, studioOfTests, tab } from './studio_page.mjs';

const site = studioOfTests();
const good = (name) => file(name, goodModel());

/** Drops files on the page, as the system's file manager does. */
const drop = (page, ...files) =>
  page.evaluate(
    (list) => {
      const dataTransfer = new DataTransfer();
      for (const { name, bytes } of list) dataTransfer.items.add(new File([Uint8Array.from(bytes)], name));
      for (const type of ['dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    },
    files.map(({ name, buffer }) => ({ name, bytes: [...buffer] })),
  );

const shown = (page, name) => page.waitForSelector(`#view-${name}:not([hidden])`);

test('back goes through the views to the first page, forward to the model again', async () => {
  const page = await site.open();
  await choose(page, good('good.onnx'));
  await readyToRun(page);
  await run(page);
  await tab(page, 'profile');
  await page.goBack();
  await shown(page, 'run');
  assert.equal(await page.textContent('#status'), 'done', 'what was run is still there');
  await page.goBack();
  await shown(page, 'graph');
  await page.goBack();
  await page.waitForSelector('#drop');
  assert.equal(await page.title(), 'Sardonyx Studio');
  await page.goForward();
  await shown(page, 'graph');
  assert.equal(await page.title(), 'good.onnx – Sardonyx Studio');
  await page.goForward();
  await shown(page, 'run');
  await page.waitForSelector('#run-form');
  await run(page);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('back after the model was closed opens it again; a model of an earlier life of the page is gone', async () => {
  const page = await site.open();
  await choose(page, good('first.onnx'));
  await readyToRun(page);
  await page.click('#close');
  await page.waitForSelector('#drop');
  await page.goBack();
  await shown(page, 'run');
  assert.equal(await page.textContent('#model-name'), 'first.onnx');
  await page.reload();
  await page.waitForSelector('#drop');
  await page.goBack();
  await page.waitForSelector('#drop');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('back from a sample, and forward to it', async () => {
  const page = await site.open();
  await page.click('#sample-lines');
  await page.waitForFunction(() => /found in/.test(document.getElementById('sample-status')?.textContent));
  await page.goBack();
  await page.waitForSelector('#drop');
  await page.goForward();
  await page.waitForFunction(() => /found in/.test(document.getElementById('sample-status')?.textContent));
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('several models at once: an error that names them; a model with other files is the model', async () => {
  const page = await site.open();
  await drop(page, good('one.onnx'), good('two.onnx'));
  await page.waitForSelector('#error:not([hidden])');
  assert.match(await page.textContent('#error'), /several models: one\.onnx, two\.onnx/);
  await drop(page, file('notes.txt', 'of the model'), good('one.onnx'));
  await page.waitForSelector('#run-form', { state: 'attached' });
  assert.equal(await page.textContent('#model-name'), 'one.onnx');
  assert.equal(await page.isVisible('#error'), false);
  // With a model open, the wrong files leave it as it is.
  await drop(page, good('two.onnx'), good('three.onnx'));
  await page.waitForSelector('#error:not([hidden])');
  assert.equal(await page.textContent('#model-name'), 'one.onnx');
  await page.context().close();
});

/** Takes its time in every run: `count` sums of `size` numbers each. */
function slow(count, size) {
  const nodes = Array.from({ length: count }, (_, i) => node('Sin', [`v${i}`], [`v${i + 1}`]));
  return modelBytes({ node: nodes, input: [port('v0', [size])], output: [port(`v${count}`, [size])] });
}

test('a model that is dropped while another runs is opened, and runs', async () => {
  const page = await site.open();
  await choose(page, file('slow.onnx', slow(400, 1_000_000)));
  await readyToRun(page);
  await page.click('#run');
  await page.waitForSelector('#cancel');
  await drop(page, good('good.onnx'));
  await page.waitForFunction(() => document.getElementById('model-name')?.textContent === 'good.onnx');
  await readyToRun(page);
  await run(page);
  assert.equal(await page.isVisible('#error'), false);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a tool that works is cancelled, and can be asked again; one whose model was closed is not heard of again', async () => {
  const page = await site.open();
  const long = file('long.onnx', slow(60_000, 4));
  await choose(page, long);
  await page.waitForSelector('#cancel');
  await tab(page, 'check');
  await page.click('.tool-going button');
  await page.waitForFunction(() => /Cancelled/.test(document.getElementById('error').textContent));
  assert.doesNotMatch(await page.textContent('#error'), /did not work/);
  await page.click('#check');
  await page.waitForSelector('.tool-going');
  await drop(page, good('good.onnx'));
  await page.waitForFunction(() => document.getElementById('model-name')?.textContent === 'good.onnx');
  await tab(page, 'check');
  await page.waitForFunction(() => /is valid/.test(document.getElementById('check-status')?.textContent));
  assert.equal(await page.isVisible('#error'), false);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a sample that is on its way does not come over a model that was dropped meanwhile', async () => {
  const page = await site.open();
  let go = () => {};
  const held = new Promise((resolve) => {
    go = resolve;
  });
  await page.route(/samples\/.*onnx/, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  await page.click('#sample-lines');
  await page.waitForSelector('#cancel');
  await drop(page, good('good.onnx'));
  await page.waitForSelector('#run-form', { state: 'attached' });
  go();
  await readyToRun(page);
  await run(page);
  await page.waitForTimeout(300);
  assert.equal(await page.textContent('#model-name'), 'good.onnx');
  assert.equal(await page.isVisible('#error'), false);
  await page.context().close();
});

test('a sample that cannot be fetched: an error that names it, and what is there works on', async () => {
  const page = await site.open();
  await page.route(/samples\//, (route) => route.abort());
  await page.click('#sample-lines');
  await page.waitForSelector('#error:not([hidden])');
  assert.match(await page.textContent('#error'), /Find straight lines could not be fetched/);
  await page.waitForSelector('#progress', { state: 'hidden' });
  await choose(page, good('good.onnx'));
  await readyToRun(page);
  await run(page);
  await page.context().close();
});

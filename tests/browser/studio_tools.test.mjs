// The studio's tools: findings with jumps to their nodes, simplification side by side and as a file, the model as text.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { initializer, modelBytes, node, port } from '../models/tiny_model.mjs';
import { choose, file, studioOfTests, tab } from './studio_page.mjs';

const site = studioOfTests();

async function tools(name, graph) {
  const page = await site.open();
  await choose(page, file(name, modelBytes(graph)));
  await page.waitForFunction(() => document.querySelector('.graph-canvas canvas')?.dataset.scale);
  await tab(page, 'check');
  await page.waitForFunction(() => document.getElementById('check-status')?.textContent.match(/valid|finding/));
  return page;
}

test('a valid model is called valid; simplified, it is smaller, and opens', async () => {
  const page = await tools('foldable.onnx', {
    node: [
      node('Add', ['a', 'b'], ['c'], 'constants'),
      node('Identity', ['x'], ['same'], 'nothing'),
      node('Mul', ['same', 'c'], ['y'], 'product'),
    ],
    input: [port('x', [3])],
    output: [port('y', [3])],
    initializer: [initializer('a', [3], [1, 2, 3]), initializer('b', [3], [4, 5, 6])],
  });
  assert.match(await page.textContent('#check-status'), /The model is valid/);
  await page.click('#simplify');
  await page.waitForSelector('#simplified');
  const rows = await page.locator('#simplified tbody tr').allTextContents();
  assert.equal(rows[0], 'Nodes31');
  assert.ok(rows.includes('Add10') && rows.includes('Identity10'), rows.join());
  await page.click('#side-by-side');
  await page.waitForFunction(() => document.querySelectorAll('.side-by-side canvas[data-scale]').length === 2);
  // What is chosen before is shown after, and the other way round.
  const [left, right] = ['.side-by-side figure >> nth=0', '.side-by-side figure >> nth=1'];
  const told = (text) =>
    page.waitForFunction((wanted) => document.getElementById('counterpart').textContent === wanted, text);
  const keys = async (figure, ...names) => {
    await page.focus(`${figure} >> canvas`);
    for (const name of names) await page.keyboard.press(name);
  };
  await keys(left, 'ArrowDown', 'ArrowDown');
  await told('Identity nothing is not in the other graph; what comes after it there is Mul product.');
  await keys(left, 'ArrowDown');
  await told('Mul product and Mul product make the same value.');
  await keys(right, 'ArrowUp');
  await told('x and x make the same value.');
  // However fast the keys come, what follows is not taken for a choice.
  for (const wait of [0, 1, 2, 3]) {
    await page.locator(`${left} >> canvas`).evaluate(async (canvas, frames) => {
      for (const key of ['ArrowDown', 'ArrowDown']) {
        canvas.dispatchEvent(new KeyboardEvent('keydown', { key }));
        for (let i = 0; i < frames; ++i) await new Promise(requestAnimationFrame);
      }
    }, wait);
    await told('Mul product and Mul product make the same value.');
    await keys(left, 'ArrowUp', 'ArrowUp');
    await told('x and x make the same value.');
  }
  await keys(left, 'ArrowDown', 'ArrowDown', 'ArrowDown');
  await told('y and y make the same value.');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-simplified')]);
  assert.equal(download.suggestedFilename(), 'foldable-simplified.onnx');
  assert.ok(readFileSync(await download.path()).includes(Buffer.from(Float32Array.of(5, 7, 9).buffer)));
  await page.click('#open-simplified');
  await page.waitForFunction(() => document.getElementById('model-name')?.textContent === 'foldable-simplified.onnx');
  await page.waitForFunction(() => /^1 /.test(document.querySelector('.found')?.textContent));
  await page.waitForSelector('#run-form', { state: 'attached' });
  await tab(page, 'run');
  await page.selectOption('#inputs select', 'ones');
  await page.click('#run');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'done');
  assert.match(await page.textContent('#outputs'), /min 5, max 9, mean 7/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a finding names its node, and shows it in the graph', async () => {
  const page = await tools('faulty.onnx', {
    node: [node('Relu', ['x'], ['r'], 'fine'), node('Softmax', ['missing'], ['y'], 'broken')],
    input: [port('x', [3])],
    output: [port('y', [3])],
  });
  assert.match(await page.textContent('#check-status'), /finding/);
  assert.match(await page.textContent('#check-findings'), /missing/);
  await page.locator('#check-findings .link').first().click();
  await page.waitForFunction(() => document.querySelector('#node-panel h2')?.textContent === 'Softmax');
  assert.ok(await page.isVisible('#view-graph'));
  await page.context().close();
});

test('the model as text', async () => {
  const page = await tools('good.onnx', {
    node: [node('Relu', ['x'], ['y'], 'only')],
    input: [port('x', [3])],
    output: [port('y', [3])],
  });
  await page.click('#print');
  await page.waitForSelector('#text');
  assert.match(await page.textContent('#text'), /Relu\s*\(x\)/);
  await page.context().close();
});

// The studio's profile: times by node and operator, the graph in their colours, memory, and the run beside onnxruntime-web.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fetchZoo } from '../../scripts/fetch-zoo.mjs';
import { choose, file, studioOfTests, tab } from './studio_page.mjs';

const kModel = 'face_detection_front_128x128_barracuda.onnx';
const kNested = 'silero_vad_v5.onnx';
let page;
let zoo;
const site = studioOfTests(async () => {
  zoo = fetchZoo({ names: [kModel, kNested], log: (line) => console.error(line) });
  page = await site.open();
  await choose(page, file(kModel, readFileSync(join(zoo, kModel))));
  await page.waitForSelector('#run-form', { state: 'attached' });
});

test('without a run, the profile offers one', async () => {
  await tab(page, 'profile');
  await page.click('.empty button');
  await page.waitForSelector('#operator-times');
  assert.match(await page.textContent('#profile-sum'), /\d nodes ran, .* million multiply-adds/);
});

test('times by operator and by node, sorted as one likes', async () => {
  const types = await page.locator('#operator-times tbody tr td:first-child').allTextContents();
  assert.ok(types.includes('Conv'), types.join());
  const shares = await page.locator('#operator-times tbody .share').allTextContents();
  const sum = shares.reduce((a, text) => a + Number.parseFloat(text), 0);
  assert.ok(Math.abs(sum - 100) < 1, `the shares add up to ${sum}`);
  const first = async (column) =>
    (await page.locator(`#node-times tbody td:nth-child(${column})`).allTextContents())[0];
  await page.click('#node-times >> text=operator');
  assert.equal(await first(2), types.toSorted()[0]);
  await page.click('#node-times thead >> text=time');
  const times = await page.locator('#node-times tbody .share').allTextContents();
  const values = times.map(Number.parseFloat);
  assert.deepEqual(
    values,
    values.toSorted((a, b) => b - a),
  );
});

test('the timeline zooms', async () => {
  const canvas = page.locator('.timeline canvas');
  const pixels = () => canvas.evaluate((element) => element.toDataURL());
  const before = await pixels();
  await page.click('.timeline [aria-label="Larger"]');
  await page.waitForFunction((old) => document.querySelector('.timeline canvas').toDataURL() !== old, before);
});

test('several runs, and the heap after each', async () => {
  await page.click('.profile-head >> text=Run 20');
  await page.waitForFunction(() => /after 20 run/.test(document.querySelector('.memory')?.textContent));
  const points = await page.getAttribute('.memory polyline', 'points');
  assert.equal(points.split(' ').length, 21);
});

test('the graph takes the colours of the times, and a node of the table is found in it', async () => {
  await page.click('#heat');
  await page.waitForSelector('#heat-toggle[aria-pressed=true]');
  const pixels = () => page.locator('.graph-canvas canvas').evaluate((canvas) => canvas.toDataURL());
  const hot = await pixels();
  await page.click('#heat-toggle');
  await page.waitForFunction((old) => document.querySelector('.graph-canvas canvas').toDataURL() !== old, hot);
  await tab(page, 'profile');
  await page.click('#node-times tbody button');
  await page.waitForSelector('#view-graph:not([hidden]) #node-panel h2');
  // A node without a name is called by its output.
  await tab(page, 'profile');
  assert.equal(await page.locator('#node-times tbody tr').count(), 14);
  await page.click('.profile >> text=Show more');
  await page.locator('#node-times tbody tr', { hasText: 'Concat' }).first().locator('button').click();
  await page.waitForFunction(() => document.querySelector('#node-panel h2')?.textContent === 'Concat');
});

test('onnxruntime-web is loaded when it is asked for, and gives the same', async () => {
  const isPeer = (path) => /ort-wasm|peer_worker/.test(path);
  assert.deepEqual(site.server.asked.filter(isPeer), []);
  await tab(page, 'profile');
  await page.click('#compare');
  await page.waitForSelector('#peer-table');
  assert.ok(site.server.asked.some((path) => path.includes('ort-wasm')));
  assert.equal(await page.locator('#peer-table tbody tr').count(), 2);
  const size = Number(/([\d.e+-]+)$/.exec(await page.textContent('#difference'))[1]);
  assert.ok(size < 1e-4, `they differ by ${size}`);
  assert.deepEqual(page.problems, []);
});

test('what ran in subgraphs stands inside of the operator that ran it', async () => {
  const other = await site.open();
  await choose(other, file(kNested, readFileSync(join(zoo, kNested))));
  await other.waitForSelector('#run-form', { state: 'attached' });
  await tab(other, 'profile');
  await other.click('.empty button');
  await other.waitForSelector('#operator-times');
  const rows = await other.locator('#operator-times tbody tr').evaluateAll((all) =>
    all.map((row) => ({
      opType: row.cells[0].textContent,
      depth: Number(row.cells[0].style.getPropertyValue('--depth')),
      share: Number.parseFloat(row.cells[3].textContent),
    })),
  );
  // Its main graph: a comparison, an If around all the rest, and what hands its results on.
  const main = rows.filter(({ depth }) => depth === 0);
  const sum = main.reduce((all, { share }) => all + share, 0);
  assert.ok(Math.abs(sum - 100) < 1, `the shares of the main graph add up to ${sum}`);
  const at = rows.findIndex(({ opType, depth }) => opType === 'If' && depth === 0);
  const next = rows.findIndex(({ depth }, i) => i > at && depth === 0);
  const inside = rows.slice(at + 1, next < 0 ? undefined : next);
  assert.ok(inside.some(({ opType }) => opType === 'LSTM') && inside.some(({ opType }) => opType === 'Conv'));
  const inner = inside.filter(({ depth }) => depth === 1).reduce((all, { share }) => all + share, 0);
  assert.ok(inner > 0 && inner <= rows[at].share + 1, `${inner} % inside of ${rows[at].share} %`);
  assert.deepEqual(other.problems, []);
  await other.context().close();
});

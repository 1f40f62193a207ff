// The studio on two threads: a page that its server isolates, the number of threads that its user chooses, real weights, the
// reference's answer, and what the page says of it. The service worker's isolation is in studio_offline.test.mjs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fetchZoo } from '../../scripts/fetch-zoo.mjs';
import { compareWithDigest } from '../models/digest.mjs';
import { feedsOf, kZoo } from '../models/feeds.mjs';
import { goodModel } from '../models/tiny_model.mjs';
import { serve } from './browser.mjs';
import { choose, file, fill, outputsOf, Plain, readyToRun, run, studioOfTests, tab } from './studio_page.mjs';

const kModel = 'ch_ppocr_mobile_v2.0_cls_infer.onnx';
const kIsolation = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};
let bytes;
const site = studioOfTests(
  async () => {
    const zoo = fetchZoo({ names: [kModel], log: (line) => console.error(line) });
    bytes = readFileSync(join(zoo, kModel));
  },
  { headers: kIsolation },
);
const reference = JSON.parse(
  readFileSync(new URL(`../models/reference/${kModel.replace('.onnx', '')}.json`, import.meta.url), 'utf8'),
);
const about = (page, words) =>
  page.waitForFunction((text) => document.getElementById('about')?.textContent.includes(text), words);

test('threads that the user chooses run the model, and the page says so', async (t) => {
  const page = await site.open();
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  const cores = await page.evaluate(() => navigator.hardwareConcurrency);
  const offered = [0, 1, 2, 4, 8].filter((n) => n < 2 || n <= cores).map(String);
  await choose(page, file(kModel, bytes));
  await readyToRun(page);
  await page.click('.engine summary');
  const options = await page.locator('#threads option').evaluateAll((all) => all.map(({ value }) => value));
  assert.deepEqual(options, offered);
  const [zooCase] = kZoo[kModel];
  const [[output, digest]] = Object.entries(reference.cases[zooCase.name]);
  for (const [threads, simd, words] of [
    ['2', 'relaxed', 'relaxed-threads, 2 threads'],
    ['2', 'fixed', 'simd-threads, 2 threads'],
    ['1', 'relaxed', 'relaxed, 1 thread'],
  ]) {
    if (Number(threads) > cores) {
      t.diagnostic(`${threads} threads: the machine has ${cores} cores`);
      continue;
    }
    await tab(page, 'run');
    await page.selectOption('#threads', threads);
    await page.selectOption('#simd', simd);
    await about(page, words);
    await page.waitForSelector('#run:enabled');
    await fill(page, feedsOf(zooCase, Plain));
    await run(page);
    const outputs = await outputsOf(page);
    const { problem, distance } = compareWithDigest(outputs[output], digest);
    assert.equal(problem, '', words);
    t.diagnostic(`${words}: ${distance.toExponential(1)}`);
    await tab(page, 'profile');
    assert.equal(await page.textContent('#ran-by'), words);
  }
  assert.deepEqual(page.problems, []);
});

test('a page that is not isolated offers one thread, and says what more need', async () => {
  const plain = await serve({ '/plain/': site.folder });
  const context = await site.browser.newContext({ serviceWorkers: 'block' });
  const page = await context.newPage();
  await page.goto(`${plain.origin}/plain/`);
  await choose(page, file(kModel, bytes));
  await readyToRun(page);
  await page.click('.engine summary');
  assert.deepEqual(await page.locator('#threads option').evaluateAll((all) => all.map(({ value }) => value)), [
    '0',
    '1',
  ]);
  assert.match(await page.textContent('.engine'), /isolation/);
  await context.close();
  plain.close();
});

test('what was filled in stays when the settings change; results of other settings go', async () => {
  const page = await site.open();
  await choose(page, file('good.onnx', goodModel()));
  await readyToRun(page);
  await page.selectOption('#inputs select', 'text');
  await page.fill('#inputs textarea', '[[1, 1, 1], [1, 1, 1]]');
  await run(page);
  const cells = () => page.locator('#outputs td').allTextContents();
  assert.deepEqual(await cells(), ['2', '3', '4', '0', '0', '0']);
  await page.click('.engine summary');
  await page.selectOption('#threads', '1');
  await page.waitForSelector('#run:enabled');
  assert.equal(await page.locator('#outputs').count(), 0);
  assert.equal(await page.inputValue('#inputs textarea'), '[[1, 1, 1], [1, 1, 1]]');
  assert.equal(await page.inputValue('#threads'), '1');
  await run(page);
  assert.deepEqual(await cells(), ['2', '3', '4', '0', '0', '0']);
  assert.deepEqual(page.problems, []);
});

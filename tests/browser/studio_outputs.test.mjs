// What outputs are shown as: a top list with labels, an image, a heat map, a mask, boxes, a waveform, a table; and sound as an input.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { initializer, modelBytes, node, port } from '../models/tiny_model.mjs';
import { choose, file, outputsOf, readyToRun, run, studioOfTests } from './studio_page.mjs';
import { wav } from './wav.mjs';

let page;
const site = studioOfTests(async () => {
  page = await site.open();
});
after(async () => {
  // Chromium finds that the tests read the drawings often.
  assert.deepEqual(
    page?.problems.filter((text) => !/willReadFrequently/.test(text)),
    [],
  );
});

/** Runs y = x of these sizes on these values, and shows y as `kind`. */
async function show(dims, values, kind) {
  const same = { node: [node('Identity', ['x'], ['y'])], input: [port('x', dims)], output: [port('y', dims)] };
  await choose(page, file('same.onnx', modelBytes(same)));
  await readyToRun(page);
  await page.selectOption('#inputs select >> nth=0', 'text');
  await page.fill('#inputs textarea', values.join(' '));
  await run(page);
  await page.locator('#outputs').getByLabel('Show as').selectOption(kind);
}

/** Red, green, blue of the drawing's pixels, row by row. */
const pixels = () =>
  page.locator('#outputs canvas').evaluate((canvas) => {
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    return Array.from({ length: width * height }, (_, i) => [...data.slice(4 * i, 4 * i + 3)]);
  });

/** The page draws when it comes to it. */
async function drawnAs(read, wanted) {
  for (let i = 0; i < 50 && !isDeepStrictEqual(await read(), wanted); i++) await page.waitForTimeout(100);
  assert.deepEqual(await read(), wanted);
}

test('a top list, by place and by label', async () => {
  await show([1, 6], [0.1, 0.05, 0.6, 0.02, 0.2, 0.03], 'top');
  const cells = () =>
    page
      .locator('#outputs tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.deepEqual((await cells()).slice(0, 3), [
    ['[0, 2]', '0.6'],
    ['[0, 4]', '0.2'],
    ['[0, 0]', '0.1'],
  ]);
  for (const labels of ['ant\nbee\ncat\ndog\nelk\nfox\n', '["ant", "bee", "cat", "dog", "elk", "fox"]']) {
    await page.setInputFiles('#outputs input[type=file]', file('labels.txt', labels));
    await page.waitForFunction(() => /^cat/.test(document.querySelector('#outputs tbody tr').textContent));
    assert.deepEqual(
      (await cells()).map(([label]) => label),
      ['cat', 'elk', 'ant', 'bee', 'fox'],
    );
  }
});

test('an image, a heat map and a mask of the same values', async () => {
  const values = Array.from({ length: 192 }, (_, i) => i);
  await show([1, 1, 12, 16], values, 'image');
  const grey = (await pixels()).map(([r]) => r);
  for (const [i, value] of values.entries())
    assert.ok(Math.abs(grey[i] - (255 * value) / 191) <= 1, `${i}: ${grey[i]}`);
  await page.locator('#outputs').getByLabel('Show as').selectOption('heat');
  await drawnAs(async () => new Set((await pixels()).map(String)).size >= 40, true); // colours of a heat map
  await page.locator('#outputs').getByLabel('Show as').selectOption('mask');
  await page.locator('#outputs').getByLabel('Threshold').fill('30');
  const inside = async () => (await pixels()).map((rgb) => rgb.some((part) => part > 0));
  await drawnAs(
    inside,
    values.map((value) => value >= 30),
  );
});

test('boxes: those of a score, without those that a better one covers, with their class', async () => {
  // x1 y1 x2 y2, score, class.
  const rows = [
    [0.1, 0.1, 0.4, 0.4, 0.9, 7],
    [0.11, 0.1, 0.4, 0.41, 0.8, 7],
    [0.6, 0.6, 0.9, 0.8, 0.7, 3],
    [0.2, 0.7, 0.3, 0.9, 0.2, 1],
  ];
  await show([4, 6], rows.flat(), 'boxes');
  const canvas = page.locator('#outputs canvas');
  const says = (pattern) => drawnAs(async () => pattern.test(await canvas.getAttribute('aria-label')), true);
  await says(/boxes, 7: 0\.90, 3: 0\.70$/);
  await page.locator('#outputs').getByLabel('Threshold').fill('0.1');
  await says(/, 1: 0\.20$/);
  // Edges of two boxes, and what lies within one.
  const grey = '136,136,136';
  const places = async () => {
    const drawn = await pixels();
    const at = (x, y) => String(drawn[Math.round(480 * y) * 480 + Math.round(480 * x)]);
    return [at(0.1, 0.25) === grey, at(0.75, 0.8) === grey, at(0.25, 0.25) === grey];
  };
  await drawnAs(places, [false, false, true]);
  // Scores of two classes.
  await show([4, 6], [...Array(3).fill([0, 0, 0, 0, 0.1, 0.2]).flat(), 0.5, 0.5, 0.7, 0.7, 0.3, 0.95], 'boxes');
  await says(/boxes, 1: 0\.95$/);
});

test('a table of rows', async () => {
  await show([2, 3], [1, 2, 3, 4, 5, 6.5], 'table');
  assert.deepEqual(await page.locator('#outputs td').allTextContents(), ['1', '2', '3', '4', '5', '6.5']);
});

test('sound goes in from a file, and comes out as a waveform', async () => {
  const sound = (name) => port(name, [1, 'samples']);
  const model = { node: [node('Neg', ['x'], ['y'])], input: [sound('x')], output: [sound('y')] };
  await choose(page, file('sound.onnx', modelBytes(model)));
  await readyToRun(page);
  await page.selectOption('#inputs select >> nth=0', 'audio');
  const samples = Float32Array.from({ length: 4000 }, (_, i) => 0.5 * Math.sin((2 * Math.PI * 440 * i) / 16000));
  await page.setInputFiles('#inputs input[type=file]', file('tone.wav', wav(samples, 16000), 'audio/wav'));
  await page.waitForFunction(() => /4,000 samples/.test(document.getElementById('inputs').textContent));
  await run(page);
  const { y } = await outputsOf(page);
  assert.deepEqual([...y.dims], [1, 4000]);
  for (const [i, value] of samples.entries()) assert.ok(Math.abs(y.data[i] + value) < 1e-6, `${i}`);
  await page.locator('#outputs').getByLabel('Show as').selectOption('wave');
  const { width, height, columns } = await page.locator('#outputs canvas').evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const drawn = (x, y) => data[4 * (y * canvas.width + x) + 3] > 0;
    const rows = [...Array(canvas.height).keys()];
    return {
      width: canvas.width,
      height: canvas.height,
      columns: [...Array(canvas.width).keys()].map((x) => rows.filter((y) => drawn(x, y)).length),
    };
  });
  assert.ok(
    columns.every((count) => count > 0),
    'every column has its line',
  );
  assert.ok(width > 400 && Math.max(...columns) > height / 20);
});

test('weights: their range and histogram in the panel of their node', async () => {
  const values = Array.from({ length: 100 }, (_, i) => (i < 90 ? 0 : 10));
  const graph = {
    node: [node('Add', ['x', 'w'], ['y'], 'adder')],
    input: [port('x', [100])],
    output: [port('y', [100])],
    initializer: [initializer('w', [100], values)],
  };
  await choose(page, file('weights.onnx', modelBytes(graph)));
  await page.waitForFunction(() => document.querySelector('.graph-canvas canvas')?.dataset.scale);
  await page.focus('.graph-canvas canvas');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.locator('#node-panel').getByRole('button', { name: 'Weights' }).click();
  assert.match(await page.locator('.weights').textContent(), /min 0, max 10, mean 1, deviation 3/);
  const heights = await page
    .locator('.histogram rect')
    .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))));
  assert.equal(heights[0], Math.max(...heights));
  assert.ok(Math.abs(heights.at(-1) - heights[0] / 9) < 0.01);
  assert.ok(heights.slice(1, -1).every((height) => height === 0));
});

test('samples name the licences of their models', async () => {
  if (await page.isVisible('#close')) await page.click('#close');
  const licences = await page.locator('.card .licence').allTextContents();
  assert.equal(licences.length, 4);
  for (const licence of licences) assert.match(licence, /Apache-2\.0|MIT/);
});

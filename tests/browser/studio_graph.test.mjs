// The studio's graph: layout, search, keys, the panel of a node with its weights, boxes that open, 40,000 nodes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fetchZoo } from '../../scripts/fetch-zoo.mjs';
import { ModelProto } from '../conformance/schema.mjs';
import { initializer, modelBytes, node, port } from '../models/tiny_model.mjs';
import { choose, file, studioOfTests } from './studio_page.mjs';

const kFiles = ['ch_PP-OCRv4_det_infer.onnx', 'silero_vad_v5.onnx', 'mlsd_320x320_tiny.onnx'];
const site = studioOfTests();
let zoo;

before(async () => {
  zoo = fetchZoo({ names: kFiles, log: (line) => console.error(line) });
});

const drawn = (page) => page.waitForFunction(() => document.querySelector('.graph-canvas canvas')?.dataset.scale);

/** A page with the model's graph. */
async function look(name, bytes) {
  const page = await site.open();
  await choose(page, file(name, bytes));
  await drawn(page);
  return page;
}
const panel = (page) => page.textContent('#node-panel');
const press = async (page, ...keys) => {
  await page.focus('.graph-canvas canvas');
  for (const key of keys) await page.keyboard.press(key);
};
const heading = (page, text) =>
  page.waitForFunction((wanted) => document.querySelector('#node-panel h2')?.textContent === wanted, text);

for (const [name, nodes, first] of [
  ['ch_PP-OCRv4_det_infer.onnx', /^330 /, 'Conv'],
  ['mlsd_320x320_tiny.onnx', /^111 /, undefined],
]) {
  test(`the graph of ${name}`, async () => {
    const page = await look(name, readFileSync(join(zoo, name)));
    assert.match(await page.textContent('.found'), nodes);
    await press(page, 'ArrowDown');
    await heading(page, 'Input');
    await press(page, 'ArrowDown');
    if (first) await heading(page, first);
    await press(page, 'ArrowUp');
    await heading(page, 'Input');
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

const conv = () => {
  const weights = Array.from({ length: 54 }, (_, i) => i - 20);
  return modelBytes({
    node: [
      {
        ...node('Conv', ['image', 'kernel'], ['mixed'], 'stem'),
        attribute: [{ name: 'pads', type: 7, ints: [1, 1, 1, 1] }],
      },
      node('Relu', ['mixed'], ['left'], 'one'),
      node('Sigmoid', ['mixed'], ['right'], 'two'),
      node('Add', ['left', 'right'], ['sum'], 'join'),
    ],
    input: [port('image', [1, 3, 8, 8])],
    output: [port('sum', [1, 2, 8, 8])],
    initializer: [initializer('kernel', [2, 3, 3, 3], weights)],
  });
};

test('search, the panel of a node, its neighbours, its weights', async () => {
  const page = await look('conv.onnx', conv());
  assert.equal(await page.locator('.node-row').count(), 4);
  // Operators and names come before names of values.
  await page.fill('#search', 'mixed');
  await page.waitForFunction(() => document.querySelectorAll('.node-row').length === 3);
  assert.deepEqual(await page.locator('.node-op').allTextContents(), ['Conv', 'Relu', 'Sigmoid']);
  await page.fill('#search', 'sig');
  await page.waitForFunction(() => document.querySelectorAll('.node-row').length === 1);
  await page.keyboard.press('Enter');
  await heading(page, 'Sigmoid');
  await page.click('.port >> text=Conv stem');
  await heading(page, 'Conv');
  assert.match(await panel(page), /ai\.onnx 17.*stem.*pads\[1, 1, 1, 1\].*kernel float32\[2, 3, 3, 3\] 216 B/s);
  await page.click('.port >> text=Weights');
  await page.waitForSelector('.histogram rect');
  assert.match(await panel(page), /min -20, max 33, mean 6\.5.*-20, -19, -18/s);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('.weights button')]);
  assert.equal(readFileSync(await download.path()).readFloatLE(128), -20);
  // Both takers of the value are named.
  assert.deepEqual(await page.locator('.port').last().locator('.step').allTextContents(), ['Relu one', 'Sigmoid two']);
  await page.context().close();
});

test('a click chooses the box under it, a drag moves the graph, the wheel zooms', async () => {
  const page = await look('conv.onnx', conv());
  const box = await page.locator('.graph-canvas canvas').boundingBox();
  const centre = box.x + box.width / 2;
  // The graph is small: it is shown whole, in the middle, at its largest scale; the input's box is the first.
  const scale = Number(await page.getAttribute('.graph-canvas canvas', 'data-scale'));
  const height = await page.evaluate(() => document.querySelector('.graph-canvas canvas').clientHeight);
  assert.equal(scale, 1.25);
  let found = '';
  for (let y = 4; y < height / 2 && found !== 'Input'; y += 8) {
    await page.mouse.click(centre, box.y + y);
    found = (await page.textContent('#node-panel h2')) ?? '';
  }
  assert.equal(found, 'Input');
  await page.mouse.wheel(0, -300);
  await page.waitForFunction(() => Number(document.querySelector('.graph-canvas canvas').dataset.scale) > 1.6);
  const pixels = () => page.locator('.graph-canvas canvas').evaluate((canvas) => canvas.toDataURL());
  const before = await pixels();
  await page.mouse.down();
  await page.mouse.move(centre - 90, box.y + 120, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((old) => document.querySelector('.graph-canvas canvas').toDataURL() !== old, before);
  assert.equal(await page.textContent('#node-panel h2'), 'Input');
  await page.context().close();
});

test('subgraphs and functions open and close', async () => {
  const inner = (name, type) => ({
    name,
    node: [node(type, ['x'], [`${name}_y`], `${name} node`)],
    output: [port(`${name}_y`, [2])],
  });
  const graph = {
    node: [
      {
        ...node('If', ['c'], ['y'], 'choice'),
        attribute: [
          { name: 'then_branch', type: 5, g: inner('then', 'Tanh') },
          { name: 'else_branch', type: 5, g: inner('else', 'Exp') },
        ],
      },
      { ...node('Twice', ['y'], ['z'], 'call'), domain: 'com.example' },
    ],
    input: [port('x', [2]), { name: 'c', type: { tensor_type: { elem_type: 9, shape: {} } } }],
    output: [port('z', [2])],
  };
  const twice = {
    name: 'Twice',
    domain: 'com.example',
    input: ['a'],
    output: ['b'],
    node: [node('Add', ['a', 'a'], ['b'], 'double')],
    opset_import: [{ domain: '', version: 17 }],
  };
  const bytes = modelBytes(graph);
  const message = ModelProto.toObject(ModelProto.decode(bytes));
  const whole = ModelProto.encode(ModelProto.fromObject({ ...message, ir_version: 10, functions: [twice] })).finish();
  const page = await look('nested.onnx', whole);
  assert.match(await page.textContent('.found'), /^5 /);
  // A node within is chosen: the box around it opens.
  await page.click('.node-row >> text=else node');
  await heading(page, 'Exp');
  await page.click('.node-row >> text=choice');
  await page.waitForSelector('#fold >> text=Hide what is inside');
  await page.click('#fold');
  await page.waitForSelector('#fold >> text=Show what is inside');
  await page.click('.node-row >> text=call');
  await heading(page, 'Twice');
  await press(page, 'Enter');
  await page.waitForSelector('#fold >> text=Hide what is inside');
  await page.click('.node-row >> text=double');
  await heading(page, 'Add');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('types that the file does not state are inferred, in subgraphs too; the arrows say them', async () => {
  const branch = (name, type) => ({
    name,
    node: [
      node('Relu', ['mixed'], [`${name}_r`], `${name} first`),
      node(type, [`${name}_r`], [`${name}_y`], `${name} last`),
    ],
    output: [{ name: `${name}_y` }],
  });
  const graph = {
    node: [
      node('Conv', ['x', 'w'], ['mixed'], 'stem'),
      {
        ...node('If', ['c'], ['y'], 'choice'),
        attribute: [
          { name: 'then_branch', type: 5, g: branch('then', 'Tanh') },
          { name: 'else_branch', type: 5, g: branch('else', 'Exp') },
        ],
      },
      node('Shape', ['y'], ['sizes'], 'sizes'),
    ],
    input: [port('x', ['rows', 3, 8, 8]), { name: 'c', type: { tensor_type: { elem_type: 9, shape: {} } } }],
    output: [port('sizes', [4], 7)],
    initializer: [initializer('w', [5, 3, 3, 3], Array(135).fill(1))],
  };
  const page = await look('untyped.onnx', modelBytes(graph));
  const find = async (name) => {
    await page.fill('#search', name);
    await page.waitForFunction((wanted) => {
      const rows = document.querySelectorAll('.node-row');
      return rows.length === 1 && rows[0].textContent.includes(wanted);
    }, name);
    await page.keyboard.press('Enter');
  };
  const says = (text) =>
    page.waitForFunction((wanted) => document.getElementById('node-panel').textContent.includes(wanted), text);
  // The arrows are drawn with their shapes as soon as these are known.
  await page.waitForSelector('.graph-canvas canvas[data-types="inferred"]');
  await find('stem');
  await says('mixed float32[rows, 5, 6, 6]');
  await find('then last');
  await says('then_r float32[rows, 5, 6, 6]');
  await find('sizes');
  await says('sizes int64[4]');
  await says('y float32[rows, 5, 6, 6]');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('weights in a file of their own', async () => {
  const weights = Float32Array.of(4, 5, 6);
  const entry = (key, value) => ({ key, value });
  const outside = {
    name: 'w',
    dims: [3],
    data_type: 1,
    data_location: 1,
    external_data: [entry('location', 'w.bin'), entry('offset', '4'), entry('length', '12')],
  };
  const graph = {
    node: [node('Add', ['x', 'w'], ['y'], 'adder')],
    input: [port('x', [3])],
    output: [port('y', [3])],
    initializer: [outside],
  };
  const page = await site.open();
  const data = Buffer.concat([Buffer.alloc(4), Buffer.from(weights.buffer)]);
  await choose(page, file('outside.onnx', modelBytes(graph)), file('w.bin', data));
  await drawn(page);
  await page.click('.node-row');
  await page.click('.port >> text=Weights');
  await page.waitForSelector('.weights pre');
  assert.match(await page.textContent('.weights pre'), /^4, 5, 6/);
  await page.waitForSelector('#run-form', { state: 'attached' });
  await page.context().close();
});

test('40,000 nodes can be looked at', async (t) => {
  const count = 40_000;
  const nodes = Array.from({ length: count }, (_, i) => {
    const inputs = i % 7 === 3 ? [`v${i}`, `v${Math.max(0, i - 5)}`] : [`v${i}`];
    return node(i % 7 === 3 ? 'Add' : i % 3 === 0 ? 'Relu' : 'Sigmoid', inputs, [`v${i + 1}`], `node ${i}`);
  });
  const bytes = modelBytes({ node: nodes, input: [port('v0', [1])], output: [port(`v${count}`, [1])] });
  const page = await site.open();
  const start = Date.now();
  await choose(page, file('long.onnx', bytes));
  await drawn(page);
  t.diagnostic(`drawn after ${Date.now() - start} ms`);
  assert.match(await page.textContent('.found'), /^40,000 /);
  await page.fill('#search', 'relu 39999');
  await page.waitForFunction(() => document.querySelectorAll('.node-row').length === 1);
  await page.keyboard.press('Enter');
  await heading(page, 'Relu');
  await page.click('.fit');
  const frames = await page.evaluate(async () => {
    const canvas = document.querySelector('.graph-canvas canvas');
    const times = [];
    for (let i = 0; i < 12; ++i) {
      const begin = performance.now();
      const [clientX, clientY] = [canvas.clientWidth / 2, canvas.clientHeight / 2];
      canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -400, clientX, clientY, cancelable: true }));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      times.push(performance.now() - begin);
    }
    return times;
  });
  t.diagnostic(`frames while zooming in from all of it, ms: ${frames.map((ms) => Math.round(ms)).join(' ')}`);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

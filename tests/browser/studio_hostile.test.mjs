// The studio and inputs that are none, or at the ends of what they can be: each is told in the page's language, with its
// place, and the page goes on.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { goodModel, modelBytes, node, port } from '../models/tiny_model.mjs';
import { npyOf } from './npy.mjs';
import { halfWhite } from './png.mjs';
import { choose, file, outputsOf, readyToRun, run, studioOfTests } from './studio_page.mjs';

// Devices are there, and nobody says that the page may use them.
const site = studioOfTests(undefined, { flags: ['--use-fake-device-for-media-stream'] });
let page;

beforeEach(async () => {
  page = await site.open();
});
afterEach(async () => {
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

const kInt64 = 7;
const kString = 8;
const kUint8 = 2;
const good = file('good.onnx', goodModel());

/** Waits for an error in both languages; the page is English again. */
async function told(english, chinese) {
  await page.waitForSelector('#error:not([hidden])');
  const said = () => page.textContent('#error');
  assert.match(await said(), english);
  await page.selectOption('#language', 'zh');
  assert.match(await said(), chinese);
  await page.selectOption('#language', 'en');
}

/** The page's own words are those of the moment: `job` fails in each language. */
async function tells(job, english, chinese) {
  for (const [language, wanted] of [
    ['zh', chinese],
    ['en', english],
  ]) {
    await page.selectOption('#language', language);
    await job();
    await page.waitForFunction(
      ([source, flags]) => {
        const error = document.getElementById('error');
        return !error.hidden && new RegExp(source, flags).test(error.textContent);
      },
      [wanted.source, wanted.flags],
    );
  }
}

async function usable() {
  await choose(page, good);
  await readyToRun(page);
  await page.selectOption('#inputs select', 'zeros');
  await run(page);
  assert.equal(await page.isVisible('#error'), false);
  assert.deepEqual(await page.locator('#outputs td').allTextContents(), ['1', '2', '3', '0', '0', '0']);
}

const ring = {
  node: [
    node('Add', ['x', 'b'], ['a'], 'first'),
    node('Relu', ['a'], ['b'], 'second'),
    node('Neg', ['b'], ['y'], 'third'),
  ],
  input: [port('x', [2])],
  output: [port('y', [2])],
};
const entry = (key, value) => ({ key, value });
const outside = {
  node: [node('Add', ['x', 'w'], ['y'], 'adder')],
  input: [port('x', [3])],
  output: [port('y', [3])],
  initializer: [{ name: 'w', dims: [3], data_type: 1, data_location: 1, external_data: [entry('location', 'w.bin')] }],
};

for (const [what, given, english, chinese] of [
  [
    'XML that is no page',
    file('chart.svg', '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'),
    /chart\.svg.*this is XML/,
    /模型无效：这是 XML 文件.*chart\.svg/,
  ],
  [
    'a page in XML',
    file('page.xhtml', '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"/>'),
    /page\.xhtml.*this is HTML/,
    /HTML 页面.*page\.xhtml/,
  ],
  ['an empty file', file('nothing.onnx', ''), /nothing\.onnx.*empty/, /文件是空的.*nothing\.onnx/],
  ['a file cut off', file('cut.onnx', good.buffer.subarray(0, 60)), /cut\.onnx.*truncated/, /不完整.*cut\.onnx/],
  ['a model with a cycle', file('ring.onnx', modelBytes(ring)), /cycle.*(first|second)/, /有环.*(first|second)/],
  [
    'external data that is missing',
    file('outside.onnx', modelBytes(outside)),
    /Open w\.bin together with the model.*w\.bin/,
    /缺少外部数据文件“w\.bin”/,
  ],
]) {
  test(what, async () => {
    await choose(page, given);
    await told(english, chinese);
    await page.waitForSelector('#progress', { state: 'hidden' });
    await usable();
  });
}

test('a cycle is seen in the graph, and found by the check', async () => {
  // Above dagre's size too, where the page's own layout takes over.
  const long = Array.from({ length: 2000 }, (_, i) => node('Relu', [`v${i}`], [`v${(i + 1) % 2000}`], `n${i}`));
  const big = { node: long, input: [port('x', [2])], output: [port('v7', [2])] };
  for (const [name, graph, count] of [
    ['ring.onnx', ring, 3],
    ['big.onnx', big, 2000],
  ]) {
    await choose(page, file(name, modelBytes(graph)));
    await page.waitForFunction(() => document.querySelector('.graph-canvas canvas')?.dataset.scale);
    assert.match(await page.textContent('.found'), new RegExp(`^${count.toLocaleString('en')} `));
    await page.click('#tab-check');
    await page.waitForFunction(() => /finding/.test(document.getElementById('check-status')?.textContent));
  }
  await page.selectOption('#language', 'zh');
  assert.match(await page.textContent('#check-findings'), /节点“n0”，算子 Relu/);
});

test('a model without nodes', async () => {
  const graph = { node: [], input: [port('x', [2, 3])], output: [port('x', [2, 3])] };
  await choose(page, file('none.onnx', modelBytes(graph)));
  await readyToRun(page);
  await page.selectOption('#inputs select', 'count');
  await run(page);
  assert.deepEqual(await page.locator('#outputs td').allTextContents(), ['0', '1', '2', '3', '4', '5']);
  await page.click('#tab-graph');
  await page.waitForFunction(() => document.querySelector('.graph-canvas canvas')?.dataset.scale);
  await page.click('#tab-profile');
  await page.click('#tab-check');
  await page.waitForFunction(() => /valid|finding/.test(document.getElementById('check-status')?.textContent));
  await page.click('#simplify');
  await page.waitForSelector('#simplified');
  await usable();
});

/** Gives back its input. */
const echo = (dims, type = 1) => {
  const attribute = [{ name: 'to', type: 2, i: type }];
  const graph = {
    node: [{ ...node('Cast', ['x'], ['y']), attribute }],
    input: [port('x', dims, type)],
    output: [port('y', dims, type)],
  };
  return file('echo.onnx', modelBytes(graph));
};

async function fillWith(kind) {
  await page.locator('#inputs select').first().selectOption(kind);
}

test('pictures of one pixel, of 64 million, of one column; and what is no picture', async () => {
  await choose(page, echo([1, 1, 2, 8]));
  await readyToRun(page);
  await fillWith('image');
  const take = (name, bytes) => page.setInputFiles('#inputs input[type=file]', file(name, bytes, 'image/png'));
  const values = async () => [...(await outputsOf(page)).y.data].map((value) => Math.round(1000 * value) / 1000);
  for (const [width, height] of [
    [8000, 8000],
    [2, 8000],
  ]) {
    await take(`${width}.png`, halfWhite(width, height));
    await page.waitForSelector('.preview:not([hidden])');
    await run(page);
    // Stretched: the left half of each row is black. Next to the edge, two columns may mix both.
    const rows = await values();
    if (width > 2) assert.deepEqual(rows, [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1], `${width} x ${height}`);
    else assert.deepEqual([rows[0], rows[7], rows[8], rows[15]], [0, 1, 0, 1], `${width} x ${height}`);
  }
  await take('dot.png', halfWhite(1, 1));
  await page.waitForSelector('.preview:not([hidden])');
  await run(page);
  assert.deepEqual(await values(), Array(16).fill(1));
  for (const [name, bytes] of [
    ['text.png', 'no picture'],
    ['empty.png', ''],
    ['head.png', halfWhite(8, 8).subarray(0, 20)],
  ])
    await tells(
      () => take(name, bytes),
      new RegExp(`${name} cannot be read as a picture`),
      new RegExp(`${name} 无法作为图片`),
    );
  // The picture before is not run in its place.
  await tells(() => page.click('#run'), /no image is chosen for the input "x"/, /尚未为输入“x”选择图片/);
  await usable();
});

test('open sides take the size of the picture, within bounds', async () => {
  await choose(page, echo([1, 1, 'height', 'width']));
  await readyToRun(page);
  await fillWith('image');
  for (const [width, height, wide, tall] of [
    [1, 1, 32, 32],
    [8000, 8000, 960, 960],
    [8000, 1, 960, 32],
  ]) {
    await page.setInputFiles('#inputs input[type=file]', file('a.png', halfWhite(width, height), 'image/png'));
    await page.waitForFunction(
      ([w, h]) => {
        const canvas = document.querySelector('.preview:not([hidden]) canvas');
        return canvas?.width === w && canvas.height === h;
      },
      [wide, tall],
    );
    await run(page);
    assert.match(await page.textContent('#outputs'), new RegExp(`float32\\[1, 1, ${tall}, ${wide}\\]`));
  }
});

test('samples look at pictures of any size', async () => {
  for (const sample of ['faces', 'lines', 'ocr']) {
    await page.click(`#sample-${sample}`);
    const seen = () =>
      page.waitForFunction(() => /found in/.test(document.getElementById('sample-status')?.textContent));
    await seen();
    for (const [width, height] of [
      [1, 1],
      [8000, 8000],
      [1, 8000],
      [8000, 1],
    ]) {
      await page.setInputFiles('#sample-file', file('a.png', halfWhite(width, height), 'image/png'));
      const scale = Math.min(1, 1600 / Math.max(width, height));
      const size = [width, height].map((side) => Math.max(1, Math.round(side * scale)));
      await page.waitForFunction(([w, h]) => {
        const canvas = document.querySelector('.sample-picture');
        return canvas.width === w && canvas.height === h;
      }, size);
      await seen();
      assert.equal(await page.isVisible('#error'), false, `${sample}: ${width} x ${height}`);
    }
    await page.setInputFiles('#sample-file', file('b.png', 'no picture', 'image/png'));
    await page.waitForFunction(() => /b\.png cannot be read/.test(document.getElementById('error').textContent));
    await page.click('#close');
  }
});

test('.npy files that are none, cut off, or of another type or shape', async () => {
  await choose(page, echo([2, 3]));
  await readyToRun(page);
  await fillWith('npy');
  const floats = (dims) => npyOf({ type: 'float32', data: new Float32Array(dims.reduce((a, b) => a * b, 1)), dims });
  const whole = floats([2, 3]);
  const take = (name, bytes) => page.setInputFiles('#inputs input[type=file]', file(name, bytes));
  for (const [name, bytes, english, chinese] of [
    ['text.npy', 'some text, which is long enough', /text\.npy is no \.npy file/, /text\.npy 不是 \.npy 文件/],
    ['empty.npy', '', /empty\.npy is no \.npy file/, /empty\.npy 不是 \.npy 文件/],
    ['head.npy', whole.subarray(0, 40), /head\.npy ends within its header/, /head\.npy 的文件头不完整/],
    ['cut.npy', whole.subarray(0, -1), /cut\.npy: .*24 bytes, but 23 are/, /cut\.npy：.*24 字节.*23 字节/],
    ['long.npy', Buffer.concat([whole, Buffer.alloc(3)]), /long\.npy: .*24 bytes, but 27 are/, /long\.npy：.*27 字节/],
    [
      'huge.npy',
      Buffer.from(whole.toString('latin1').replace(/\(2, 3\), \}\s{4}/, '(99999, 3), }'), 'latin1'),
      /huge\.npy: its shape takes 1199988 bytes, but 24 are/,
      /huge\.npy：.*1199988 字节/,
    ],
    [
      'big-endian.npy',
      Buffer.from(whole.toString('latin1').replace('<f4', '>f4'), 'latin1'),
      /big-endian\.npy: elements of the type '>f4'/,
      /big-endian\.npy：.*“>f4”/,
    ],
  ]) {
    await take('good.npy', whole);
    await tells(() => take(name, bytes), english, chinese);
    // What was there before is gone: it is not run in place of the wrong one.
    await tells(() => page.click('#run'), /no \.npy file is chosen for the input "x"/, /尚未为输入“x”选择/);
  }
  await take('longs.npy', npyOf({ type: 'int64', data: new BigInt64Array(6), dims: [2, 3] }));
  await tells(() => page.click('#run'), /"x" has elements of int64, the input of float32/, /“x”.*int64.*float32/);
  await take('other.npy', floats([3, 2]));
  await page.click('#run');
  await told(/input "x" must be 2, not 3/, /输入与模型不符.*输入“x”的第 0 维应为 2，而不是 3/);
  await take('good.npy', whole);
  await run(page);
  assert.deepEqual(await page.locator('#outputs td').allTextContents(), Array(6).fill('0'));
});

test('numbers that are none, that the type does not have, or too many of them', async () => {
  const rounds = [
    [1, [3], '1, two, 3', /input "x": "two" is no number/, /输入“x”：“two”不是数字/],
    [1, [3], '[1, null, 2]', /input "x": "null" is no number/, /输入“x”：“null”不是数字/],
    [1, [3], '1 2 3 4', /input "x": 4 values are typed in for 3 elements/, /输入“x”：填写了 4 个值，但只有 3 个元素/],
    [1, [3], '  ', /no values are typed in for "x"/, /尚未为输入“x”填写数值/],
    [kInt64, [2], '1.5', /input "x": 1\.5 is no int64/, /输入“x”：1\.5 不是 int64/],
    [kInt64, [2], '9223372036854775808', /9223372036854775808 is no int64/, /9223372036854775808 不是 int64/],
    [kInt64, [2], '1e999', /1e999 is no int64/, /1e999 不是 int64/],
    [kUint8, [2], '7, -1', /input "x": -1 is no uint8/, /输入“x”：-1 不是 uint8/],
    [kUint8, [2], '256', /input "x": 256 is no uint8/, /输入“x”：256 不是 uint8/],
  ];
  for (const [type, dims, text, english, chinese] of rounds) {
    await choose(page, echo(dims, type));
    await readyToRun(page);
    await fillWith('text');
    await page.fill('#inputs textarea', text);
    await tells(() => page.click('#run'), english, chinese);
  }
  // What the types do have, exactly.
  for (const [type, text, values] of [
    [kInt64, '9223372036854775807, -9223372036854775808', [9223372036854775807n, -9223372036854775808n]],
    [kInt64, '[9007199254740993, -9007199254740993]', [9007199254740993n, -9007199254740993n]],
    [kUint8, '0, 255', [0, 255]],
  ]) {
    await choose(page, echo([2], type));
    await readyToRun(page);
    await fillWith('text');
    await page.fill('#inputs textarea', text);
    await run(page);
    assert.deepEqual([...(await outputsOf(page)).y.data], values);
  }
  // Digits in a string are text.
  await choose(page, echo([2], kString));
  await readyToRun(page);
  await fillWith('text');
  await page.fill('#inputs textarea', '["card 9007199254740993 ok", "9007199254740993"]');
  await run(page);
  const shown = await page.textContent('#outputs');
  assert.match(shown, /card 9007199254740993 ok/);
  assert.doesNotMatch(shown, /\["card/);
});

test('a text without tokens, and a size that is none', async () => {
  await choose(page, echo(['sequence'], kInt64));
  await readyToRun(page);
  await fillWith('tokens');
  await tells(() => page.click('#run'), /no text is typed in for "x"/, /尚未为输入“x”填写文本/);
  await page.fill('#inputs textarea', 'hi');
  await run(page);
  assert.deepEqual([...(await outputsOf(page)).y.data], [104n, 105n]);
  await fillWith('zeros');
  for (const size of ['', '-1', '1.5']) {
    await page.fill('#inputs input[type=number]', size);
    await tells(() => page.click('#run'), /a dimension of "x" is no size/, /输入“x”有一个维度不是有效大小/);
  }
  await page.fill('#inputs input[type=number]', '99999999999');
  await tells(() => page.click('#run'), /the input "x" would have 99999999999 elements/, /“x”将有 99999999999 个元素/);
  // None at all is a size.
  await page.fill('#inputs input[type=number]', '0');
  await run(page);
  assert.match(await page.textContent('#outputs'), /y int64\[0\]/);
});

test('a camera and a microphone that may not be used', async () => {
  await choose(page, echo([1, 3, 8, 8]));
  await readyToRun(page);
  await fillWith('camera');
  await tells(
    () => page.click('.camera button'),
    /camera cannot be used: it was not allowed/,
    /无法使用摄像头：未获得许可/,
  );
  await fillWith('random');
  await run(page);
  assert.equal(await page.isVisible('#error'), false);
  await choose(page, echo([1, 'samples']));
  await readyToRun(page);
  await fillWith('microphone');
  const record = () => page.locator('#inputs fieldset button').first().click();
  await tells(record, /microphone cannot be heard: it was not allowed/, /无法使用麦克风：未获得许可/);
  await tells(() => page.click('#run'), /no sound yet for "x"/, /输入“x”还没有声音/);
  await page.click('#close');
  await page.click('#sample-lines');
  await page.waitForFunction(() => /found in/.test(document.getElementById('sample-status')?.textContent));
  await tells(() => page.click('#live'), /camera cannot be used: it was not allowed/, /无法使用摄像头：未获得许可/);
  await page.waitForFunction(() => document.getElementById('live').textContent === 'Use the camera');
  await page.click('#close');
  await page.click('#sample-voice');
  await page.waitForSelector('#listen');
  await tells(
    () => page.click('#listen'),
    /microphone cannot be heard: it was not allowed/,
    /无法使用麦克风：未获得许可/,
  );
  await page.waitForFunction(() => document.getElementById('listen').textContent === 'Listen');
  const take = (bytes) => page.setInputFiles('#sample-file', file('sound.wav', bytes, 'audio/wav'));
  await tells(() => take('no sound'), /sound\.wav cannot be read as sound/, /sound\.wav 无法作为音频读取/);
  await usable();
});

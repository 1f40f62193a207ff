// The studio's samples end to end: text is read, a face and lines are found where they are, and speech is heard as
// onnxruntime-web hears it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeValues } from '../models/feeds.mjs';
import { voiceOf } from './heard.mjs';
import { file, studioOfTests } from './studio_page.mjs';
import { wav } from './wav.mjs';

const site = studioOfTests();

/** A page with the sample, and what it found in its own picture. */
async function start(name) {
  const page = await site.open();
  await page.click(`#sample-${name}`);
  await page.waitForSelector('#view-sample:not([hidden])');
  return page;
}
const found = async (page) => {
  await page.waitForFunction(() => /\d found in/.test(document.getElementById('sample-status')?.textContent));
  return page.locator('#findings .finding-text').allTextContents();
};

/** A PNG of what `draw` (its text) draws into a context of this size. */
async function png(page, width, height, draw) {
  const bytes = await page.evaluate(
    async ([w, h, code]) => {
      const canvas = new OffscreenCanvas(w, h);
      const context = canvas.getContext('2d');
      context.fillStyle = '#fff';
      context.fillRect(0, 0, w, h);
      const rectangle = (colour, x, y, width, height) => {
        context.fillStyle = colour;
        context.fillRect(x, y, width, height);
      };
      const write = (text, size, x, y) => {
        context.fillStyle = '#111';
        context.font = `${size}px sans-serif`;
        context.fillText(text, x, y);
      };
      for (const [what, ...rest] of code) (what === 'write' ? write : rectangle)(...rest);
      return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
    },
    [width, height, draw],
  );
  return file('drawn.png', bytes, 'image/png');
}

test('text is read: in the picture of the sample, and in one of the user', async () => {
  const page = await start('ocr');
  const own = (await found(page)).join('\n');
  assert.match(own, /SARDONYX STUDIO/);
  assert.match(own, /HELLO WASM 257/);
  const drawn = await png(page, 700, 240, [
    ['write', 'Invoice 4711', 48, 40, 80],
    ['write', 'Total 93.50', 40, 320, 190],
  ]);
  await page.setInputFiles('#sample-file', drawn);
  await page.waitForFunction(() => /^2 found/.test(document.getElementById('sample-status').textContent));
  assert.deepEqual(await found(page), ['Invoice 4711', 'Total 93.50']);
  // The model is there to be looked at, and run, as any other.
  await page.click('#tab-graph');
  await page.waitForFunction(() => /^330 /.test(document.querySelector('.found')?.textContent));
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a face is found where it is', async () => {
  const page = await start('faces');
  const faces = await found(page);
  assert.equal(faces.length, 1);
  // The drawn face is an ellipse around (320, 320), 260 wide and 340 high.
  const [x, y, width] = faces[0].match(/\d+/g).map(Number);
  assert.ok(Math.abs(x + width / 2 - 320) < 40, faces[0]);
  assert.ok(y > 100 && y < 320 && width > 180 && width < 400, faces[0]);
  await page.context().close();
});

test('the sides of a rectangle are found', async () => {
  const page = await start('lines');
  await found(page);
  const picture = await png(page, 320, 320, [['rectangle', '#333', 80, 60, 160, 200]]);
  await page.setInputFiles('#sample-file', picture);
  await page.waitForFunction(() => /^4 found/.test(document.getElementById('sample-status').textContent));
  const wanted = [
    [80, 60, 240, 60],
    [80, 260, 240, 260],
    [80, 60, 80, 260],
    [240, 60, 240, 260],
  ];
  const lines = (await found(page)).map((text) => text.match(/\d+/g).map(Number));
  for (const side of wanted) {
    const turned = [side[2], side[3], side[0], side[1]];
    const near = (line, ends) => line.every((v, i) => Math.abs(v - ends[i]) <= 8);
    assert.ok(
      lines.some((line) => near(line, side) || near(line, turned)),
      `${side} in ${JSON.stringify(lines)}`,
    );
  }
  await page.context().close();
});

test('speech is heard as onnxruntime-web hears it', async () => {
  const rate = 16000;
  const sound = Float32Array.from(makeValues('audio', 20 * 512), (v) => v / 2);
  const expected = await voiceOf(sound);
  const page = await start('voice');
  await page.setInputFiles('#sample-file', file('sound.wav', wav(sound, rate), 'audio/wav'));
  const text = await page.waitForSelector('#findings[data-speech]', { state: 'attached' });
  const speech = (await text.getAttribute('data-speech')).split(',').map(Number);
  assert.equal(speech.length, 20);
  for (const [i, value] of speech.entries()) assert.ok(Math.abs(value - expected[i]) < 1e-4, `${i}: ${value}`);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a download is cancelled', async () => {
  const page = await site.open();
  await page.route('**/samples/*', () => {});
  await page.click('#sample-ocr');
  await page.click('#cancel');
  await page.waitForFunction(() => /Cancelled/.test(document.getElementById('error').textContent));
  assert.ok(await page.isVisible('#drop'));
  await page.context().close();
});

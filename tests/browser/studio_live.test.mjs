// The studio's samples on Chromium's fake camera and microphone: pictures one after another, speech as it goes on.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { modelBytes, node, port } from '../models/tiny_model.mjs';
import { voiceOf } from './heard.mjs';
import { choose, file, outputsOf, readyToRun, run, studio } from './studio_page.mjs';
import { wav } from './wav.mjs';

const kRate = 16000;
const kFlags = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
const temp = mkdtempSync(join(tmpdir(), 'sardonyx-live-'));
const sound = join(temp, 'heard.wav');
let spoken = false;
let site;

/** The samples of a WAV file of 32-bit floats, as the page saves it. */
function floatsOf(bytes) {
  assert.equal(bytes.readUInt16LE(20), 3);
  assert.equal(bytes.readUInt32LE(24), kRate);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length));
}

/** A second of silence, a sentence, a second of silence; without espeak-ng a hum, of which the model thinks what it likes. */
function makeSound() {
  const text = 'The quick brown fox jumps over the lazy dog, and then it sleeps.';
  const said = spawnSync('espeak-ng', ['-w', sound, '-s', '150', text]);
  spoken = said.status === 0;
  if (spoken) {
    const bytes = readFileSync(sound);
    const rate = bytes.readUInt32LE(24);
    const voice = new Int16Array(bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + (bytes.length & ~1)));
    const all = new Int16Array(voice.length + 2 * rate);
    all.set(voice, rate);
    writeFileSync(sound, wav(all, rate));
  } else {
    const hum = Int16Array.from({ length: 4 * kRate }, (_, i) => 6000 * Math.sin((2 * Math.PI * 220 * i) / kRate));
    writeFileSync(sound, wav(hum, kRate));
  }
}

before(async () => {
  makeSound();
  site = await studio({ flags: [...kFlags, `--use-file-for-fake-audio-capture=${sound}%noloop`] });
});
after(async () => {
  await site?.close();
  rmSync(temp, { recursive: true });
});

const statusOf = (page) => page.textContent('#sample-status');

test('the microphone is heard as it goes on, with what the model remembers', async (t) => {
  const page = await site.open({ permissions: ['microphone'] });
  await page.click('#sample-voice');
  await page.waitForSelector('#listen');
  await page.click('#listen');
  await page.waitForFunction(() => document.querySelector('.voice:not([hidden])'));
  assert.match(await statusOf(page), /Listening|speaks/);
  if (spoken) await page.waitForFunction(() => /speaks/.test(document.getElementById('sample-status').textContent));
  await page.waitForTimeout(2500);
  await page.click('#listen');
  const list = await page.waitForSelector('#findings[data-speech]', { state: 'attached' });
  const speech = (await list.getAttribute('data-speech')).split(',').map(Number);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-sound')]);
  const heard = floatsOf(readFileSync(await download.path()));
  assert.equal(heard.length, 512 * speech.length);
  assert.ok(
    heard.some((value) => Math.abs(value) > 0.05),
    'it heard nothing',
  );
  // onnxruntime-web, on the same sound from its beginning.
  const expected = await voiceOf(heard);
  for (const [i, value] of speech.entries()) assert.ok(Math.abs(value - expected[i]) < 1e-4, `chunk ${i}: ${value}`);
  t.diagnostic(`${speech.length} chunks, ${speech.filter((p) => p > 0.5).length} with speech, espeak-ng: ${spoken}`);
  if (spoken) assert.ok(speech.some((value) => value > 0.5));
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a picture is taken with the camera, and becomes an input', async () => {
  const page = await site.open({ permissions: ['camera'] });
  const dims = [1, 3, 48, 64];
  const model = {
    node: [node('Identity', ['image'], ['seen'])],
    input: [port('image', dims)],
    output: [port('seen', dims)],
  };
  await choose(page, file('seen.onnx', modelBytes(model)));
  await readyToRun(page);
  await page.selectOption('#inputs select', 'camera');
  await page.click('.camera button');
  await page.waitForFunction(() => document.querySelector('.camera video').videoWidth > 0);
  await page.click('.camera button');
  await page.waitForSelector('.preview canvas');
  // What the model gets is what is seen: the fake camera's picture, not one colour.
  const shown = await page.locator('.preview canvas').evaluate((canvas) => {
    const { width, height } = canvas;
    return { width, height, pixels: [...canvas.getContext('2d').getImageData(0, 0, width, height).data] };
  });
  assert.deepEqual([shown.width, shown.height], [64, 48]);
  await page
    .locator('#inputs')
    .getByLabel(/^Values/)
    .selectOption('pixels');
  await run(page);
  const { seen } = await outputsOf(page);
  for (const c of [0, 1, 2])
    assert.deepEqual(
      [...seen.data.slice(c * 3072, (c + 1) * 3072)],
      shown.pixels.filter((_, i) => i % 4 === c),
    );
  assert.ok(new Set(seen.data).size > 10);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('what is in the pictures of the camera is found, one picture after another', async () => {
  const page = await site.open({ permissions: ['camera'] });
  await page.click('#sample-lines');
  await page.waitForFunction(() => /\d found in/.test(document.getElementById('sample-status')?.textContent));
  const canvas = page.locator('.sample-picture');
  const pixels = () => canvas.evaluate((element) => element.toDataURL().length);
  await page.click('#live');
  await page.waitForFunction(() => /pictures a second/.test(document.getElementById('sample-status').textContent));
  assert.deepEqual(await canvas.evaluate(({ width, height }) => [width, height]), [640, 480]);
  const first = await pixels();
  await page.waitForFunction(
    (before) => document.querySelector('.sample-picture').toDataURL().length !== before,
    first,
  );
  // The last picture stays, and is looked at as any other.
  await page.click('#live');
  await page.waitForFunction(() => /\d found in/.test(document.getElementById('sample-status').textContent));
  const kept = await pixels();
  await page.waitForTimeout(300);
  assert.equal(await pixels(), kept);
  // Another view turns the camera off.
  await page.click('#live');
  await page.waitForFunction(() => /pictures a second/.test(document.getElementById('sample-status').textContent));
  await page.click('#tab-graph');
  await page.click('#tab-sample');
  await page.waitForFunction(() => document.getElementById('live').textContent === 'Use the camera');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

// Tensors from images and back: the same numbers as onnxruntime-common gives, on the same pixels.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, serve, watch } from './browser.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Opaque pixels of all kinds: partly transparent ones are changed by canvases before either package sees them.
const kApp = `
import * as ours from '/ours/index.js';
import * as theirs from '/theirs/index.js';
const [width, height] = [7, 5];
const pixels = new Uint8ClampedArray(4 * width * height);
for (let i = 0; i < pixels.length; ++i) pixels[i] = i % 4 === 3 ? 255 : (i * 73 + 29) % 256;
const data = new ImageData(pixels, width, height);
const canvas = Object.assign(document.createElement('canvas'), { width, height });
canvas.getContext('2d').putImageData(data, 0, 0);
const url = canvas.toDataURL();
const element = Object.assign(new Image(), { src: url });
await element.decode();
const images = { data, element, url, bitmap: await createImageBitmap(data) };
const plain = (x) => ({ type: x.type, dims: x.dims, data: [...x.data] });
const both = async (act) => [await act(theirs), await act(ours)];
Object.assign(globalThis, { images, plain, both });
globalThis.ready = true;
`;

let server;
let browser;
let page;
let problems;
before(async () => {
  server = await serve({
    '/': { text: '<!doctype html><title>images</title><script type="module" src="/app.js"></script>' },
    '/app.js': { text: kApp, type: 'text/javascript' },
    '/favicon.ico': { text: '' },
    '/ours/': join(root, 'dist'),
    '/theirs/': join(root, 'node_modules/onnxruntime-common/dist/esm'),
  });
  browser = await launch();
  page = await browser.newPage();
  problems = watch(page);
  await page.goto(`${server.origin}/`);
  await page.waitForFunction(() => globalThis.ready);
});
after(async () => {
  await browser?.close();
  server?.close();
});

const kNorm = { mean: [10, 20, 30, 40], bias: [1, 2, 3, 4] };
for (const [name, options] of [
  ['data', undefined],
  ['data', {}],
  ['data', { tensorFormat: 'BGR' }],
  ['data', { tensorFormat: 'RBG', norm: { mean: 128, bias: -127.5 } }],
  ['data', { tensorFormat: 'RGBA', norm: kNorm }],
  ['element', undefined],
  ['element', { norm: kNorm }],
  ['bitmap', {}],
  ['bitmap', { tensorFormat: 'BGR', norm: kNorm }],
  ['url', undefined],
  ['url', { tensorFormat: 'RBG' }],
]) {
  test(`fromImage(${name}, ${JSON.stringify(options)})`, async () => {
    const [theirs, ours] = await page.evaluate(
      // Their functions write into the options.
      ([name, options]) =>
        both(async ({ Tensor }) => plain(await Tensor.fromImage(images[name], options && { ...options }))),
      [name, options],
    );
    assert.ok(theirs.data.length > 15 && theirs.data.some((x) => x !== theirs.data[0]));
    assert.deepEqual(ours, theirs);
  });
}

for (const [format, options] of [
  ['RGB', undefined],
  ['RGB', { format: 'RGB', norm: { mean: 200, bias: 0.1 } }],
  ['RGBA', { format: 'RGBA' }],
  ['RGBA', { format: 'RGBA', norm: { mean: [250, 251, 252, 255], bias: [0, 0.01, 0.02, 0] } }],
]) {
  test(`toImageData and toDataURL of ${format}, ${JSON.stringify(options)}`, async () => {
    const results = await page.evaluate(
      ([tensorFormat, options]) =>
        both(async ({ Tensor }) => {
          const tensor = await Tensor.fromImage(images.data, { tensorFormat });
          const { data, width, height } = tensor.toImageData(options);
          return { data: [...data], width, height };
        }),
      [format, options],
    );
    assert.deepEqual(results[1], results[0]);
    const urls = await page.evaluate(
      (tensorFormat) =>
        both(async ({ Tensor }) =>
          (await Tensor.fromImage(images.data, { tensorFormat })).toDataURL({ format: tensorFormat }),
        ),
      format,
    );
    assert.equal(urls[1], urls[0]);
    assert.match(urls[1], /^data:image\/png;base64,/);
  });
}

test('what is beyond them: NHWC, uint8, resized pixels, a Blob', async () => {
  const result = await page.evaluate(async () => {
    const { Tensor } = await import('/ours/index.js');
    const nhwc = await Tensor.fromImage(images.data, { tensorLayout: 'NHWC', dataType: 'uint8' });
    const again = nhwc.toImageData({ tensorLayout: 'NHWC' });
    const small = await Tensor.fromImage(images.data, { resizedWidth: 1, resizedHeight: 1 });
    const blob = await Tensor.fromImage(await (await fetch(images.url)).blob(), { dataType: 'uint8' });
    const same = again.data.every((x, i) => x === images.data.data[i]);
    return {
      type: nhwc.type,
      dims: nhwc.dims,
      first: [...nhwc.data.slice(0, 3)],
      same,
      small: small.dims,
      blob: blob.dims,
    };
  });
  assert.deepEqual(result, {
    type: 'uint8',
    dims: [1, 5, 7, 3],
    first: [29, 102, 175],
    same: true,
    small: [1, 3, 1, 1],
    blob: [1, 3, 5, 7],
  });
  assert.deepEqual(problems, []);
});

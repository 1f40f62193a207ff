// ImageDecoder: every format against what Pillow decodes, damaged files, and where the codecs come from.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { registerOperator } from '../../dist/index.js';
import {
  env,
  goodModel,
  InferenceSession,
  makeModel,
  node,
  OnnxError,
  port,
  Tensor,
  tensorType,
} from './make_model.mjs';

const images = JSON.parse(readFileSync(new URL('images/images.json', import.meta.url), 'utf8'));
const codecsUrl = new URL('../../dist/wasm/sardonyx-codecs.wasm', import.meta.url);
const fileOf = (name) => new Uint8Array(Buffer.from(images[name].file, 'base64'));

afterEach(() => {
  env.wasm.codecs = undefined;
  env.wasm.proxy = undefined;
  registerOperator('', 'ImageDecoder', undefined);
});

function decoderModel(format, more = {}) {
  const attribute = [{ name: 'pixel_format', type: 3, s: Buffer.from(format) }];
  return makeModel({
    node: [node('ImageDecoder', ['x'], ['y'], { attribute })],
    input: [port('x', tensorType('uint8', ['n']))],
    output: [port('y', tensorType('uint8'))],
    ...more,
  });
}

const open = (format = 'RGB', options = {}) => InferenceSession.create(decoderModel(format), options);
async function decode(session, bytes) {
  const { y } = await session.run({ x: new Tensor('uint8', bytes, [bytes.length]) });
  return y;
}

/** How far Pillow's values may be: exact, but where its versions of the libraries differ from one another, or it rounds twice. */
function assertNear(actual, expected, most, name) {
  assert.equal(actual.length, expected.length, name);
  let worst = 0;
  for (let i = 0; i < expected.length; i++) worst = Math.max(worst, Math.abs(actual[i] - expected[i]));
  assert.ok(worst <= most, `${name}: differs by ${worst}`);
}

test("every kind of image has Pillow's values", async () => {
  const sessions = { RGB: await open('RGB'), BGR: await open('BGR'), Grayscale: await open('Grayscale') };
  for (const [name, { height, width, RGB, L }] of Object.entries(images)) {
    const rgb = inflateSync(Buffer.from(RGB, 'base64'));
    const bgr = Uint8Array.from(rgb, (_, i) => rgb[i + 2 - 2 * (i % 3)]);
    const expected = { RGB: rgb, BGR: bgr, Grayscale: inflateSync(Buffer.from(L, 'base64')) };
    for (const [format, session] of Object.entries(sessions)) {
      const y = await decode(session, fileOf(name));
      assert.deepEqual(y.dims, [height, width, format === 'Grayscale' ? 1 : 3], name);
      assertNear(y.data, expected[format], 0, `${name}, ${format}`);
    }
  }
  for (const session of Object.values(sessions)) await session.release();
});

test('damaged files are errors that name the node and the format, and the session goes on', async () => {
  const session = await open();
  const refusal = async (bytes) => {
    const error = await decode(session, bytes).then(
      () => undefined,
      (error) => error,
    );
    if (error) assert.ok(error instanceof OnnxError && error.code === 'runtime_error', String(error));
    return error?.message;
  };
  for (const [name, format] of [
    ['jpeg 4:2:0', 'JPEG'],
    ['jpeg 4:2:0 progressive', 'JPEG'],
    ['png rgb', 'PNG'],
    ['png interlaced', 'PNG'],
    ['tiff tiff_lzw', 'TIFF'],
    ['webp lossy', 'WebP'],
    ['webp lossless', 'WebP'],
    ['jpeg 2000 lossless', 'JPEG 2000'],
    ['bmp 24 bits', 'BMP'],
    ['ppm', 'PNM'],
  ]) {
    const bytes = fileOf(name);
    for (const part of [0.3, 0.6]) {
      const message = await refusal(bytes.subarray(0, Math.floor(bytes.length * part)));
      assert.match(message ?? 'nothing', new RegExp(`^ImageDecoder "ImageDecoder_node": ${format}: \\S`), name);
    }
    // Whatever comes of it: an image or an error, at once.
    for (let at = 4; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
      const changed = bytes.slice();
      changed[at] ^= 0x55;
      await refusal(changed);
    }
  }
  assert.match(await refusal(Uint8Array.of(1, 2, 3)), /no known image format/);
  assert.match(await refusal(new Uint8Array(0)), /no known image format/);
  const huge = fileOf('png rgb');
  huge.set([0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff], 16);
  assert.match(await refusal(huge), /PNG: /);
  const y = await decode(session, fileOf('jpeg grey'));
  assert.deepEqual(y.dims, [13, 19, 3]);
  await session.release();
});

test('an image that is a constant, and one in a worker', async () => {
  const bytes = fileOf('png rgb');
  const expected = inflateSync(Buffer.from(images['png rgb'].RGB, 'base64'));
  const constant = makeModel({
    node: [node('ImageDecoder', ['file'], ['y'])],
    initializer: [{ name: 'file', data_type: 2, dims: [bytes.length], raw_data: bytes }],
    output: [port('y', tensorType('uint8'))],
  });
  const session = await InferenceSession.create(constant);
  assertNear((await session.run({})).y.data, expected, 0, 'constant');
  await session.release();
  const remote = await open('RGB', { worker: true });
  assert.equal(remote.info.worker, true);
  assertNear((await decode(remote, bytes)).data, expected, 0, 'worker');
  await remote.release();
});

test('env.wasm.codecs: a URL, bytes, a module; what is none of these', async () => {
  const binary = readFileSync(codecsUrl);
  for (const codecs of [
    codecsUrl,
    codecsUrl.href,
    binary,
    new Uint8Array(binary).buffer,
    new WebAssembly.Module(binary),
  ]) {
    env.wasm.codecs = codecs;
    const session = await open();
    assert.deepEqual((await decode(session, fileOf('webp lossy'))).dims, [13, 19, 3]);
    await session.release();
  }
  env.wasm.codecs = 7;
  await assert.rejects(open(), /invalid_argument|env\.wasm\.codecs must be a URL/);
  env.wasm.codecs = new Uint8Array(8);
  await assert.rejects(open(), /ImageDecoder needs sardonyx-codecs\.wasm .*env\.wasm\.codecs/);
  env.wasm.codecs = new URL('nothing.wasm', codecsUrl);
  await assert.rejects(open(), { code: 'load_failed', message: /ImageDecoder needs sardonyx-codecs\.wasm/ });
});

test('models without an ImageDecoder, and those with one of the program, ask for no codecs', async () => {
  env.wasm.codecs = new URL('nothing.wasm', codecsUrl);
  await (await InferenceSession.create(goodModel())).release();
  registerOperator('', 'ImageDecoder', { run: () => [new Tensor('uint8', [1, 2, 3], [1, 1, 3])] });
  const session = await open();
  assert.deepEqual([...(await decode(session, Uint8Array.of(0))).data], [1, 2, 3]);
  await session.release();
});

// Weights in files beside the model.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { InferenceSession, kTypes, makeModel, node, OnnxError, port, Tensor, tensorType } from './make_model.mjs';

/** y = x + w, w being at `offset` of the file `location`. */
function model(location, offset = 0, length = 8) {
  const external_data = Object.entries({ location, offset: String(offset), length: String(length) }).map(
    ([key, value]) => ({ key, value }),
  );
  const type = tensorType('float32', [2]);
  return makeModel({
    node: [node('Add', ['x', 'w'], ['y'])],
    input: [port('x', type)],
    output: [port('y', type)],
    initializer: [{ name: 'w', dims: [2], data_type: kTypes.float32, data_location: 1, external_data }],
  });
}

const weights = new Uint8Array(Float32Array.of(0, 10, 20).buffer);
let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sardonyx-js-'));
  mkdirSync(join(folder, 'models', 'parts'), { recursive: true });
  writeFileSync(join(folder, 'secret.bin'), weights);
  writeFileSync(join(folder, 'models', 'w.bin'), weights);
  writeFileSync(join(folder, 'models', 'parts', 'w.bin'), weights);
});
after(() => rmSync(folder, { recursive: true }));

async function works(...args) {
  const session = await InferenceSession.create(...args);
  const { y } = await session.run({ x: new Tensor('float32', [1, 2]) });
  assert.deepEqual([...y.data], [11, 22]);
  await session.release();
}

async function refuses(promise, code, ...words) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof OnnxError, `${error} is no OnnxError`);
    assert.equal(error.code, code, error.message);
    for (const word of words) assert.match(error.message, word);
    return true;
  });
}

test('bytes, a Blob, a Response, a URL and a path', async () => {
  const sources = [
    weights,
    weights.buffer,
    new Blob([weights]),
    new Response(weights),
    `data:application/octet-stream;base64,${Buffer.from(weights).toString('base64')}`,
    join(folder, 'models', 'w.bin'),
  ];
  for (const data of sources) {
    await works(model('w.bin', 4), { externalData: [{ path: 'w.bin', data }] });
  }
  await works(model('parts/w.bin', 4), { externalData: [{ path: './parts/w.bin', data: weights }] });
  await works(model('w.bin', 4), { externalData: [join(folder, 'models', 'w.bin')] });
});

test('beside a model that is a file', async () => {
  for (const location of ['w.bin', 'parts/w.bin']) {
    const path = join(folder, 'models', 'model.onnx');
    writeFileSync(path, model(location, 4));
    await works(path);
  }
});

test('never outside of its folder', async () => {
  const path = join(folder, 'models', 'bad.onnx');
  for (const location of ['../secret.bin', join(folder, 'secret.bin'), 'parts/../../secret.bin', '..\\secret.bin']) {
    writeFileSync(path, model(location, 4));
    await assert.rejects(InferenceSession.create(path), (error) => error instanceof OnnxError, location);
  }
});

test('missing, short, and given in vain', async () => {
  await refuses(InferenceSession.create(model('w.bin', 4)), 'load_failed', /"w\.bin"/, /externalData/);
  const other = { externalData: [{ path: 'other.bin', data: weights }] };
  await refuses(InferenceSession.create(model('w.bin', 4), other), 'load_failed', /"w\.bin"/, /"other\.bin"/);
  const short = { externalData: [{ path: 'w.bin', data: weights.slice(0, 8) }] };
  await refuses(InferenceSession.create(model('w.bin', 4), short), 'load_failed', /"w\.bin"/, /8 bytes/);
  const missing = { externalData: [{ path: 'w.bin', data: join(folder, 'none.bin') }] };
  await refuses(InferenceSession.create(model('w.bin', 4), missing), 'load_failed', /none\.bin/);
  for (const [data, code, word] of [
    [5, 'invalid_argument', /a model comes as/],
    [null, 'invalid_argument', /not as null/],
    ['http://127.0.0.1:1/w.bin', 'load_failed', /127\.0\.0\.1/],
    [new Response('', { status: 404 }), 'load_failed', /404/],
    [new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'load_failed', /HTML/],
  ]) {
    const externalData = [{ path: 'w.bin', data }];
    await refuses(InferenceSession.create(model('w.bin', 4), { externalData }), code, /external.*"w\.bin": /, word);
  }
  for (const externalData of [[{}], [null], [{ path: 'w.bin' }], [1]]) {
    await refuses(InferenceSession.create(model('w.bin', 4), { externalData }), 'invalid_argument', /externalData/);
  }
});

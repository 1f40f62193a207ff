// Models that are broken in every way: each gives its own clear error, and the session that was there goes on.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { InferenceSession, OnnxError, Tensor } from './package.mjs';
import { goodModel, initializer, modelBytes, node, port } from './tiny_model.mjs';

let session; // lives through all of them

before(async () => {
  session = await InferenceSession.create(goodModel());
});
after(() => session.release());

afterEach(async () => {
  const x = new Tensor('float32', Float32Array.of(1, 1, 1, 1, 9, 1), [2, 3]);
  const { y } = await session.run({ x });
  assert.deepEqual([...y.data], [2, 3, 4, 0, 4, 0]);
});

// Creating a session of these bytes fails with this code, and the message has all of the words.
async function refuses(bytes, code, ...words) {
  await assert.rejects(InferenceSession.create(bytes), (error) => {
    assert.ok(error instanceof OnnxError, `${error} is no OnnxError`);
    assert.equal(error.code, code, error.message);
    for (const word of words) assert.match(error.message, word);
    return true;
  });
}

const bytesOf = (text) => new TextEncoder().encode(text);
const x = port('x', [2]);
const y = port('y', [2]);
const relu = node('Relu', ['x'], ['y'], 'clip');

test('a truncated file, at 64 points', async () => {
  const whole = goodModel();
  for (let i = 1; i <= 64; i++) {
    const length = Math.floor((whole.length * i) / 65);
    await refuses(whole.slice(0, length), 'invalid_model');
  }
});

test('no bytes, text, HTML', async () => {
  await refuses(new Uint8Array(0), 'invalid_model', /empty/i);
  await refuses(bytesOf('Dear reader,\nthis is no model.\n'), 'invalid_model', /text/i);
  await refuses(bytesOf('<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n'), 'invalid_model', /HTML/);
});

test('noise', async () => {
  await refuses(
    Uint8Array.from({ length: 4096 }, (_, i) => (i * 37 + 11) & 255),
    'invalid_model',
  );
  await refuses(new Uint8Array(4096), 'invalid_model');
});

test('unknown operators, all of them in one error', async () => {
  const graph = {
    node: [
      node('Frobnicate', ['x'], ['a'], 'first'),
      node('Relu', ['a'], ['b'], 'middle'),
      { ...node('Transmogrify', ['b'], ['c'], 'second'), domain: 'com.example' },
      node('Frobnicate', ['c'], ['y'], 'third'),
    ],
    input: [x],
    output: [y],
  };
  await refuses(modelBytes(graph), 'unsupported_operator', /Frobnicate/, /"first"/, /Transmogrify/, /"second"/);
});

test('an initializer whose length is not its shape', async () => {
  const graph = { node: [node('Add', ['x', 'w'], ['y'])], input: [x], output: [y] };
  await refuses(modelBytes({ ...graph, initializer: [initializer('w', [2], [1])] }), 'invalid_model', /"w"/);
  await refuses(modelBytes({ ...graph, initializer: [initializer('w', [2], [1, 2, 3])] }), 'invalid_model', /"w"/);
  const typed = { name: 'w', dims: [2], data_type: 1, float_data: [1, 2, 3] };
  await refuses(modelBytes({ ...graph, initializer: [typed] }), 'invalid_model', /"w"/);
  const odd = { name: 'w', dims: [2], data_type: 1, raw_data: new Uint8Array(7) };
  await refuses(modelBytes({ ...graph, initializer: [odd] }), 'invalid_model', /"w"/);
});

test('an element type that does not exist', async () => {
  const graph = { node: [node('Add', ['x', 'w'], ['y'])], input: [x], output: [y] };
  const odd = { ...initializer('w', [2], [1, 2]), data_type: 99 };
  await refuses(modelBytes({ ...graph, initializer: [odd] }), 'invalid_model', /"w"/, /99/);
});

test('negative and overflowing dimensions', async () => {
  const graph = { node: [node('Add', ['x', 'w'], ['y'])], input: [x], output: [y] };
  for (const dims of [[-2], [2 ** 40, 2 ** 40], [2 ** 31, 2 ** 31, 4], [2 ** 50]]) {
    await refuses(modelBytes({ ...graph, initializer: [initializer('w', dims, [1, 2])] }), 'invalid_model', /"w"/);
  }
});

test('a cycle', async () => {
  const graph = {
    node: [node('Add', ['x', 'b'], ['a'], 'forth'), node('Relu', ['a'], ['b'], 'back'), node('Relu', ['b'], ['y'])],
    input: [x],
    output: [y],
  };
  await refuses(modelBytes(graph), 'invalid_model', /cycle|circle|loop/i, /"(forth|back|a|b)"/);
});

test('a name used twice', async () => {
  const twice = [node('Relu', ['x'], ['y'], 'one'), node('Neg', ['x'], ['y'], 'two')];
  await refuses(modelBytes({ node: twice, input: [x], output: [y] }), 'invalid_model', /"y"/);
  await refuses(modelBytes({ node: [relu], input: [x, x], output: [y] }), 'invalid_model', /"x"/);
  const w = initializer('w', [2], [1, 2]);
  const added = { node: [node('Add', ['x', 'w'], ['y'])], input: [x], output: [y] };
  await refuses(modelBytes({ ...added, initializer: [w, w] }), 'invalid_model', /"w"/);
  const hidden = { node: [node('Relu', ['x'], ['w']), node('Add', ['x', 'w'], ['y'])], input: [x], output: [y] };
  await refuses(modelBytes({ ...hidden, initializer: [w] }), 'invalid_model', /"w"/);
});

test('a name that nothing makes', async () => {
  await refuses(
    modelBytes({ node: [node('Relu', ['z'], ['y'], 'clip')], input: [x], output: [y] }),
    'invalid_model',
    /"z"/,
  );
  await refuses(modelBytes({ node: [relu], input: [x], output: [port('q', [2])] }), 'invalid_model', /"q"/);
});

test('an attribute that the operator does not have, and one of the wrong type', async () => {
  const graph = { input: [x], output: [y] };
  const unknown = { ...relu, attribute: [{ name: 'slope', type: 1, f: 0.5 }] };
  await refuses(modelBytes({ ...graph, node: [unknown] }), 'invalid_model', /slope/, /"clip"/, /Relu/);
  const wrong = { ...node('Softmax', ['x'], ['y'], 'soft'), attribute: [{ name: 'axis', type: 1, f: 0.5 }] };
  await refuses(modelBytes({ ...graph, node: [wrong] }), 'invalid_model', /axis/, /"soft"/, /Softmax/);
});

// Every kind of source that a model can come from, with progress and abort, and what goes wrong on the way.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  goodModel,
  InferenceSession,
  kTypes,
  makeModel,
  node,
  OnnxError,
  port,
  Tensor,
  tensorType,
} from './make_model.mjs';

const bytes = new Uint8Array(goodModel()); // with a buffer of its own
let folder;
let server;
let base;

/** y = x + w with w of `count` zeros: a model of about 4 * count bytes. */
function largeModel(count) {
  const raw_data = new Uint8Array(4 * count);
  return makeModel({
    node: [node('Add', ['x', 'w'], ['y'])],
    input: [port('x', tensorType('float32', [1]))],
    output: [port('y', tensorType('float32', [count]))],
    initializer: [{ name: 'w', dims: [count], data_type: kTypes.float32, raw_data }],
  });
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sardonyx-js-'));
  writeFileSync(join(folder, 'good model.onnx'), bytes);
  server = createServer((request, response) => {
    if (request.url === '/good.onnx') return response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
    if (request.url === '/page') {
      return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!doctype html><p>Hello</p>');
    }
    if (request.url === '/untyped') return response.writeHead(200).end('<!doctype html><html><p>Hello</p></html>');
    if (request.url === '/broken') {
      response.writeHead(200, { 'content-length': bytes.length + 1000 });
      return response.write(bytes, () => response.destroy());
    }
    response.writeHead(404, { 'content-type': 'text/html' }).end('<p>none</p>');
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  base = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  server.close();
});

async function works(...args) {
  const session = await InferenceSession.create(...args);
  const x = new Tensor('float32', new Float32Array(6).fill(1), [2, 3]);
  assert.deepEqual([...(await session.run({ x })).y.data], [2, 3, 4, 0, 0, 0]);
  await session.release();
}

async function refuses(source, code, ...words) {
  await assert.rejects(InferenceSession.create(source), (error) => {
    assert.ok(error instanceof OnnxError, `${error.stack} is no OnnxError`);
    assert.equal(error.code, code, error.message);
    for (const word of words) assert.match(error.message, word);
    return true;
  });
}

/** The model in pieces of `size` bytes. */
function streamOf(data, size) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= data.length) return controller.close();
      controller.enqueue(data.slice(at, at + size));
      at += size;
    },
  });
}

test('a path', () => works(join(folder, 'good model.onnx')));
test('a file: URL', () => works(pathToFileURL(join(folder, 'good model.onnx'))));
test('a file: URL as text', () => works(pathToFileURL(join(folder, 'good model.onnx')).href));
test('a http: URL', () => works(new URL(`${base}/good.onnx`)));
test('a http: URL as text', () => works(`${base}/good.onnx`));
test('a Response', async () => works(await fetch(`${base}/good.onnx`)));
test('a Response made here', () => works(new Response(bytes)));
test('a Uint8Array', () => works(bytes));
test('a Node Buffer', () => works(Buffer.from(bytes)));
test('a DataView', () => works(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
test('a Blob', () => works(new Blob([bytes])));
test('a File', () => works(new File([bytes], 'good.onnx')));
test('a data: URL', () => works(`data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}`));

test('an ArrayBuffer, whole and in part', async () => {
  const padded = new Uint8Array(bytes.length + 20);
  padded.set(bytes, 7);
  await works(bytes.slice().buffer);
  await works(padded.buffer, 7, bytes.length);
  await works(padded.buffer, 7, bytes.length, { graphOptimizationLevel: 'basic' });
  await works(padded.buffer.slice(7, 7 + bytes.length), 0);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  await works(shared);
  await assert.rejects(InferenceSession.create(padded.buffer, 1000), /byteOffset 1000/);
  await assert.rejects(InferenceSession.create(padded.buffer, 7, 10_000), /byteLength 10000/);
  await assert.rejects(InferenceSession.create(bytes, 7), /byteOffset/);
});

test('a stream, in pieces of any size', async () => {
  for (const size of [1, 7, bytes.length]) await works(streamOf(bytes, size));
});

test('the given bytes stay as they are', async () => {
  const copy = bytes.slice();
  await works(copy);
  assert.deepEqual(copy, bytes);
});

test('several blocks of a megabyte', async () => {
  const large = largeModel(900_000);
  for (const source of [large, streamOf(large, 65_536), streamOf(large, 3_000_000)]) {
    const session = await InferenceSession.create(source);
    const { y } = await session.run({ x: new Tensor('float32', [5]) });
    assert.equal(y.size, 900_000);
    assert.equal(y.data[899_999], 5);
    await session.release();
  }
});

test('progress', async () => {
  const events = [];
  const large = largeModel(900_000);
  const session = await InferenceSession.create(large, { onProgress: (event) => events.push(event) });
  await session.release();
  assert.deepEqual([...new Set(events.map((event) => event.phase))], ['reading', 'preparing', 'ready']);
  assert.ok(events.filter((event) => event.phase === 'reading').length >= 3);
  assert.ok(events.every((event) => event.total === large.length));
  assert.equal(events.at(-1).loaded, large.length);
  assert.ok(events.every((event, i) => i === 0 || event.loaded >= events[i - 1].loaded));
});

test('abort, before and between two blocks', async () => {
  const isAborted = (error) => error instanceof OnnxError && error.code === 'aborted' && error.cause === 'enough';
  await assert.rejects(InferenceSession.create(bytes, { signal: AbortSignal.abort('enough') }), isAborted);
  const controller = new AbortController();
  let pieces = 0;
  const onProgress = () => {
    if (++pieces === 3) controller.abort('enough');
  };
  const { signal } = controller;
  await assert.rejects(InferenceSession.create(streamOf(bytes, 10), { signal, onProgress }), isAborted);
  assert.equal(pieces, 3);
  await works(bytes);
});

test('an abort when all is ready, and while a worker loads, leaves no session and no worker', async () => {
  const kinds = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'MessagePort' || name === 'Worker').length;
  const before = kinds();
  const large = largeModel(5_000_000);
  for (const worker of [false, true]) {
    for (const phase of ['preparing', 'ready']) {
      const controller = new AbortController();
      const phases = [];
      const onProgress = (event) => {
        phases.push(event.phase);
        if (event.phase !== phase) return;
        // Of what is being prepared in a worker, the page sees nothing.
        if (phase === 'ready') controller.abort('enough');
        else setTimeout(() => controller.abort('enough'), 0);
      };
      const { signal } = controller;
      const creating = InferenceSession.create(large, { signal, onProgress, worker });
      if (phase === 'preparing' && !worker) await creating.then((session) => session.release()).catch(() => {});
      else await assert.rejects(creating, { code: 'aborted', cause: 'enough' });
      const seen = phases.length;
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(phases.length, seen, 'nothing is heard of it later');
    }
  }
  assert.equal(kinds(), before);
  await works(bytes);
});

test('a buffer that is given away while its model is created is named', async () => {
  const given = bytes.slice();
  const creating = InferenceSession.create(given);
  structuredClone(given.buffer, { transfer: [given.buffer] });
  await assert.rejects(creating, { code: 'invalid_argument', message: /buffer is detached/ });
});

test('an abort during a download', async () => {
  const controller = new AbortController();
  const slow = createServer((_, response) => response.writeHead(200).write('x'));
  await new Promise((ready) => slow.listen(0, '127.0.0.1', ready));
  setTimeout(() => controller.abort('enough'), 50);
  const url = `http://127.0.0.1:${slow.address().port}/`;
  await assert.rejects(InferenceSession.create(url, { signal: controller.signal }), { code: 'aborted' });
  slow.closeAllConnections();
  slow.close();
});

test('what cannot be read', async () => {
  await refuses(join(folder, 'missing.onnx'), 'load_failed', /missing\.onnx/);
  await refuses(folder, 'load_failed', /no file/);
  await refuses(`${base}/missing.onnx`, 'load_failed', /missing\.onnx/, /404/);
  await refuses(`${base}/page`, 'load_failed', /\/page/, /HTML/);
  await refuses(`${base}/untyped`, 'invalid_model', /\/untyped/, /HTML/);
  await refuses(`${base}/broken`, 'load_failed', /\/broken/, /broke off/);
  await refuses('http://127.0.0.1:1/', 'load_failed', /127\.0\.0\.1:1/);
  // Data URLs are as long as what they hold.
  for (const url of [
    `data:text/plain,${'a'.repeat(9999)}`,
    `data:text/html,${'a'.repeat(9999)}`,
    `data:,%${'a'.repeat(9999)}`,
  ]) {
    await assert.rejects(InferenceSession.create(url), ({ message }) => {
      assert.match(message, /data:.*a\.\.\./);
      return message.length < 400;
    });
  }
  await refuses('', 'invalid_argument', /empty/);
  await refuses(undefined, 'invalid_argument', /undefined/);
  await refuses(null, 'invalid_argument', /null/);
  await refuses({}, 'invalid_argument', /an object/);
  await refuses(new ReadableStream({ start: (c) => c.error(new Error('the line is dead')) }), 'load_failed', /dead/);
  await refuses(new ReadableStream({ start: (c) => c.enqueue('text') }), 'invalid_argument', /Uint8Array/);
});

test('a Response whose body is used', async () => {
  const response = await fetch(`${base}/good.onnx`);
  await response.arrayBuffer();
  await refuses(response, 'invalid_argument', /used/);
});

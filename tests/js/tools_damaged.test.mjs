// Files that are no model, or half of one: every way to open a model says the same, in the same words, with the same code.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sound } from './broken_models.mjs';
import { env, goodModel, InferenceSession, makeModel, OnnxError } from './make_model.mjs';

const tools = await import('../../dist/tools.js');
env.wasm.numThreads = 1;
const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sardonyx-damaged-'));
after(() => rmSync(folder, { recursive: true }));

const good = Buffer.from(goodModel());
const larger = Buffer.from(makeModel(sound()));
const changed = (at, byte) => Buffer.concat([larger.subarray(0, at), Buffer.from([byte]), larger.subarray(at + 1)]);
/** Of a generator that is the same every time. */
function noise(length, seed) {
  const bytes = Buffer.alloc(length);
  let x = seed;
  for (let i = 0; i < length; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    bytes[i] = x >>> 24;
  }
  return bytes;
}

const kFiles = {
  'an empty file': [Buffer.alloc(0), /the model is empty \(0 bytes\)/],
  'an HTML page': [Buffer.from('\n<!doctype html><html><p>Not found</p></html>'), /this is HTML/],
  JSON: [Buffer.from('{"error": "not found"}'), /JSON/],
  'a pointer of Git LFS': [Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'), /LFS/],
  'the half of a model': [
    good.subarray(0, good.length >> 1),
    /truncated: graph at byte \d+ has \d+ bytes, but only \d+/,
  ],
  'all but a byte': [larger.subarray(0, larger.length - 1), /truncated/],
  'its first bytes': [larger.subarray(0, 3), /truncated|no graph/],
  'bytes after its end': [Buffer.concat([good, Buffer.from([7, 7, 7])]), /makes no sense at byte \d+/],
  noise: [noise(300, 77), /not an ONNX model, or it is damaged/],
  'other noise': [noise(300, 9001), /not an ONNX model, or it is damaged|truncated/],
  'a text': [Buffer.from('hello world, this is a text'), /./],
};

async function thrown(job) {
  const error = await job().then(
    () => undefined,
    (error) => error,
  );
  assert.ok(error instanceof OnnxError, `${error}`);
  return { code: error.code, message: error.message };
}

for (const [name, [bytes, wanted]] of Object.entries(kFiles)) {
  test(name, async () => {
    const said = await thrown(() => InferenceSession.create(bytes));
    assert.equal(said.code, 'invalid_model');
    assert.match(said.message, wanted);
    const first = makeModel(sound());
    for (const [call, job] of Object.entries({
      check: () => tools.check(bytes),
      simplify: () => tools.simplify(bytes),
      print: () => tools.print(bytes),
      stats: () => tools.stats(bytes),
      compare: () => tools.compare(bytes, bytes),
      'compare, the second': () => tools.compare(first, bytes),
      inferShapes: () => tools.inferShapes(bytes),
      graph: () => tools.graph(bytes),
    })) {
      assert.deepEqual(await thrown(job), said, call);
    }
  });
}

test('the commands say it too', () => {
  for (const name of ['an empty file', 'an HTML page', 'the half of a model', 'noise']) {
    const path = join(folder, 'model.onnx');
    writeFileSync(path, kFiles[name][0]);
    const said = ['inspect', 'run', 'stats', 'check', 'print', 'simplify'].map((word) => {
      const more = word === 'simplify' ? [join(folder, 'out.onnx')] : [];
      const { stderr, status } = spawnSync(process.execPath, [command, word, path, ...more], { encoding: 'utf8' });
      return `${status} ${stderr.trim().split('\n')[0]}`;
    });
    assert.deepEqual(said, Array(said.length).fill(said[0]), name);
    assert.match(said[0], kFiles[name][1]);
  }
});

test('a byte that is wrong anywhere: no tool says less than a session', async () => {
  for (let at = 0; at < larger.length; at += 7) {
    const bytes = changed(at, 0xff);
    const session = await InferenceSession.create(bytes).then(
      (made) => made.release(),
      ({ code, message }) => ({ code, message }),
    );
    const printed = await tools.print(bytes).then(
      () => undefined,
      ({ code, message }) => ({ code, message }),
    );
    if (printed) assert.deepEqual(printed, session, `byte ${at}`);
  }
});

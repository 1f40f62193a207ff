// A process ends by itself whatever its sessions have started, and process.exit() ends it at once.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { fetchZoo } from '../../scripts/fetch-zoo.mjs';
import { goodModel } from '../models/tiny_model.mjs';

const dist = new URL('../../dist/index.js', import.meta.url).href;
const real = join(fetchZoo({ names: ['hello_deepa.onnx'] }), 'hello_deepa.onnx');
const folder = mkdtempSync(join(tmpdir(), 'sardonyx-end-'));
const tiny = join(folder, 'tiny.onnx');
writeFileSync(tiny, goodModel());
after(() => rmSync(folder, { recursive: true }));

// The sessions stay reachable: a collected one would end its threads.
const kProgram = `
import { env, InferenceSession, Tensor } from '${dist}';
const { wasm, options, paths, run, after: ending } = JSON.parse(process.argv[2]);
Object.assign(env.wasm, wasm);
globalThis.sessions = [];
for (const path of paths) sessions.push(await InferenceSession.create(path, options));
if (run) {
  for (const session of sessions) {
    const feeds = session.inputMetadata.map(({ type, shape }) => {
      const dims = shape.map((d, i) => (typeof d === 'number' ? d : i === 0 ? 1 : 64));
      return new Tensor(type, new Float32Array(dims.reduce((a, b) => a * b, 1)), dims);
    });
    await session.run(feeds);
  }
}
process.stdout.write(sessions.map(({ info }) => [info.threads, info.worker].join()).join(';'));
if (ending === 'exit') process.exit(7);
if (ending === 'throw') throw new Error('of the program');
if (ending === 'release') await Promise.all(sessions.map((session) => session.release()));
`;
const program = join(folder, 'program.mjs');
writeFileSync(program, kProgram);

/** What it printed and its exit code; rejects where it has not ended after 20 s. */
async function ended(job) {
  const options = { timeout: 20_000, killSignal: 'SIGKILL' };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(job)], options);
    return { stdout, code: 0 };
  } catch (error) {
    assert.equal(error.killed, false, `does not end: ${JSON.stringify(job)}`);
    return { stdout: error.stdout, code: error.code };
  }
}

for (const { name, path } of [
  { name: 'a tiny model', path: tiny },
  { name: 'a real model', path: real },
]) {
  for (const [numThreads, worker] of [
    [1, false],
    [2, false],
    [3, false],
    [1, true],
    [2, true],
    [3, undefined],
  ]) {
    test(`${name}, ${numThreads} threads, worker: ${worker}`, async () => {
      const job = { wasm: { numThreads }, options: { worker } };
      const info = `${numThreads},${worker === true}`;
      for (const more of [
        { paths: [path] },
        { paths: [path], run: true },
        { paths: [path, tiny, path] },
        { paths: [path, tiny], run: true, after: 'release' },
      ]) {
        assert.deepEqual(await ended({ ...job, ...more }), { stdout: more.paths.map(() => info).join(';'), code: 0 });
      }
      for (const run of [false, true]) {
        assert.deepEqual(await ended({ ...job, paths: [path], run, after: 'exit' }), { stdout: info, code: 7 });
        assert.deepEqual(await ended({ ...job, paths: [path], run, after: 'throw' }), { stdout: info, code: 1 });
      }
    });
  }
}

test('a creation that nobody waits for is finished before the process ends', async () => {
  for (const worker of [false, true]) {
    const code = `
      import { env, InferenceSession } from '${dist}';
      env.wasm.numThreads = 2;
      InferenceSession.create('${tiny}', { worker: ${worker} }).then((session) => {
        globalThis.session = session;
        process.stdout.write('created');
      });`;
    const args = ['--input-type=module', '-e', code];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
    assert.equal(stdout, 'created');
  }
});

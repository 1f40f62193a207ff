// A WebAssembly trap in a thread of the pool: the run that waits for it ends with an error, and the session is lost.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { makeModel, node, port, tensorType } from './make_model.mjs';

// A thread that has gone to sleep for want of work (it looks at the clock then) loses every function that C++ calls by its
// address: the first block of work that it takes is a trap.
const kStart = 'const { glue } = threads.workerData;';
const kSaboteur = `
let table;
const { Instance } = WebAssembly;
WebAssembly.Instance = function (...args) {
  const instance = new Instance(...args);
  table = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Table);
  return instance;
};
const clock = performance;
const now = () => {
  for (let i = 0; i < (table?.length ?? 0); ++i) table.set(i, null);
  return clock.now();
};
Object.defineProperty(globalThis, 'performance', { value: { timeOrigin: clock.timeOrigin, now } });
`;

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sardonyx-traps-'));
  cpSync(fileURLToPath(new URL('../../dist', import.meta.url)), join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const path = join(folder, 'dist', 'node_thread.js');
  const code = readFileSync(path, 'utf8');
  assert.ok(code.includes(kStart));
  writeFileSync(path, code.replace(kStart, kStart + kSaboteur));
  const type = tensorType('float32', ['n']);
  const graph = { node: [node('Exp', ['x'], ['y'])], input: [port('x', type)], output: [port('y', type)] };
  writeFileSync(join(folder, 'exp.onnx'), makeModel(graph));
});
after(() => rmSync(folder, { recursive: true }));

for (const worker of [false, true]) {
  test(`a trap in a pool thread, worker: ${worker}`, async () => {
    const code = `
      import { env, InferenceSession, OnnxError, Tensor } from '${pathToFileURL(join(folder, 'dist', 'index.js'))}';
      env.wasm.numThreads = 2;
      const session = await InferenceSession.create('exp.onnx', { worker: ${worker} });
      const run = (n) => session.run([new Tensor('float32', new Float32Array(n), [n])]);
      const errors = [];
      // Which blocks the thread takes is chance: sooner or later it takes one.
      for (let i = 0; i < 1000 && errors.length === 0; ++i) await run(1 << 20).catch((error) => errors.push(error));
      await run(1).catch((error) => errors.push(error));
      console.log(JSON.stringify([session.info, errors.map(({ name, code, message }) => ({ name, code, message }))]));
      await session.release();
      const other = await InferenceSession.create('exp.onnx', { worker: false });
      await other.release();
      console.log('end');`;
    const args = ['--input-type=module', '-e', code];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: 60_000 });
    const [first, last] = stdout.trim().split('\n');
    const [info, errors] = JSON.parse(first);
    assert.deepEqual([info.threads, info.worker], [2, worker], info.why);
    assert.equal(errors.length, 2);
    for (const error of errors) assert.deepEqual([error.name, error.code], ['OnnxError', 'instance_lost']);
    assert.match(errors[0].message, /cannot be used any more/);
    assert.equal(last, 'end');
  });
}

// Which build is taken and why; threads and workers, from their start to their end.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import {
  env,
  goodModel,
  InferenceSession,
  identityModel,
  makeModel,
  node,
  OnnxError,
  port,
  Tensor,
  tensorType,
} from './make_model.mjs';

const dist = new URL('../../dist/', import.meta.url);
const old = Number.parseInt(process.versions.node, 10) < 22;
const relaxedFlag = old ? ['--experimental-wasm-relaxed-simd'] : [];

afterEach(() => {
  for (const name of Object.keys(env.wasm)) delete env.wasm[name];
});

const x = () => new Tensor('float32', new Float32Array(6).fill(1), [2, 3]);

async function infoOf(options) {
  const session = await InferenceSession.create(goodModel(), options);
  assert.deepEqual([...(await session.run({ x: x() })).y.data], [2, 3, 4, 0, 0, 0]);
  const { info } = session;
  await session.release();
  return info;
}

test('threads as asked for, one thread says why', async () => {
  env.wasm.simd = 'fixed';
  for (const threads of [2, 3, 4]) {
    env.wasm.numThreads = threads;
    const info = await infoOf();
    assert.deepEqual([info.variant, info.threads, info.worker], ['simd-threads', threads, false], info.why);
    assert.match(info.why, new RegExp(`${threads} threads: asked for`));
  }
  env.wasm.numThreads = 99;
  const most = await infoOf();
  assert.equal(most.threads, 64);
  assert.match(most.why, /64 threads: no more, 99 were asked for/);
  env.wasm.numThreads = 1;
  const info = await infoOf();
  assert.deepEqual([info.variant, info.threads], ['simd', 1]);
  assert.match(info.why, /one thread: it was asked for/);
});

for (const threads of [1, 3]) {
  test(`a session in a worker, ${threads} threads`, async () => {
    env.wasm.numThreads = threads;
    env.wasm.proxy = true;
    const info = await infoOf();
    assert.deepEqual([info.worker, info.threads], [true, threads], info.why);
    env.wasm.proxy = undefined;
    assert.equal((await infoOf({ worker: true })).worker, true);
    env.wasm.proxy = true;
    assert.equal((await infoOf({ worker: false })).worker, false);
  });
}

test('a worker takes and gives every kind of value, and the caller keeps his', async () => {
  const create = (type) => InferenceSession.create(identityModel(tensorType(type, ['n'])), { worker: true });
  const numbers = await create('float32');
  const whole = new Float32Array([9, 1, 2, 3, 9]);
  const feed = new Tensor('float32', whole.subarray(1, 4), [3]);
  assert.deepEqual([...(await numbers.run({ x: feed })).y.data], [1, 2, 3]);
  assert.deepEqual([...whole], [9, 1, 2, 3, 9]);
  const target = new Tensor('float32', new Float32Array(3), [3]);
  assert.equal((await numbers.run({ x: feed }, { y: target })).y, target);
  assert.deepEqual([...target.data], [1, 2, 3]);
  assert.ok(numbers.memory().heap >= 1 << 23);
  await numbers.release();
  await assert.rejects(numbers.run({ x: feed }), { name: 'OnnxError', code: 'invalid_argument' });

  const words = await create('string');
  const text = new Tensor('string', ['a', 'ü', ''], [3]);
  assert.deepEqual((await words.run({ x: text })).y.data, ['a', 'ü', '']);
  await words.release();
});

for (const worker of [true, false]) {
  test(`feeds that are given away, worker: ${worker}`, async () => {
    const type = tensorType('float32', ['n']);
    const model = { node: [node('Add', ['a', 'b'], ['y'])], input: [port('a', type), port('b', type)] };
    const session = await InferenceSession.create(makeModel({ ...model, output: [port('y', type)] }), { worker });
    const [whole, part] = [new Float32Array([1, 2, 3]), new Float32Array([9, 1, 1, 1])];
    const feeds = () => [new Tensor(whole), new Tensor('float32', part.subarray(1), [3])];
    const kept = feeds();
    assert.deepEqual([...(await session.run(kept)).y.data], [2, 3, 4]);
    assert.deepEqual([...kept[0].data], [1, 2, 3]);

    const given = feeds();
    const { y } = await session.run(given, { transfer: true });
    assert.deepEqual([...y.data], [2, 3, 4]);
    // Without a copy where it goes elsewhere; who has other views of a buffer keeps it.
    assert.equal(whole.length, worker ? 0 : 3);
    assert.deepEqual([...part], [9, 1, 1, 1]);
    for (const tensor of given) {
      assert.equal(tensor.location, 'none');
      assert.throws(() => tensor.data, { name: 'OnnxError', code: 'invalid_argument', message: /transfer/ });
    }
    await assert.rejects(session.run(given), { code: 'invalid_input', message: /input "a": .*transfer/ });

    // Twice the same, and what does not fit.
    const twice = new Tensor(new Float32Array([1, 2]));
    assert.deepEqual([...(await session.run([twice, twice], { transfer: true })).y.data], [2, 4]);
    const wrong = new Tensor(new Int32Array([1, 2]));
    await assert.rejects(session.run([wrong, new Tensor(new Float32Array(2))], { transfer: true }), {
      code: 'invalid_input',
    });
    await assert.rejects(session.run([kept[1], kept[1]], { transfer: 1 }), { code: 'invalid_argument' });
    assert.deepEqual([...(await session.run([kept[1], kept[1]])).y.data], [2, 2, 2]);
    await session.release();
  });
}

test('errors of a worker are OnnxErrors, and the session goes on', async () => {
  await assert.rejects(InferenceSession.create(new Uint8Array(100).fill(7), { worker: true }), (error) => {
    assert.ok(error instanceof OnnxError);
    assert.equal(error.code, 'invalid_model');
    return true;
  });
  const session = await InferenceSession.create(goodModel(), { worker: true });
  const bad = new Tensor('float32', new Float32Array(4), [2, 2]);
  const plain = await InferenceSession.create(goodModel(), { worker: false });
  const [there, here] = await Promise.all(
    [session, plain].map((s) => s.run({ x: bad }).then(assert.fail, (error) => error)),
  );
  for (const key of ['name', 'code', 'message', 'node', 'opType']) assert.equal(there[key], here[key], key);
  assert.deepEqual([...(await session.run({ x: x() })).y.data], [2, 3, 4, 0, 0, 0]);
  const all = await Promise.all(Array.from({ length: 5 }, () => session.run({ x: x() })));
  for (const { y } of all) assert.deepEqual([...y.data], [2, 3, 4, 0, 0, 0]);
  await Promise.all([session.release(), plain.release()]);
});

test('no worker starts: the session runs here, and says why', async () => {
  const threads = process.getBuiltinModule('node:worker_threads');
  const { Worker } = threads;
  threads.Worker = function Broken() {
    throw new Error('workers are forbidden');
  };
  try {
    env.wasm.numThreads = 2;
    const threaded = await infoOf();
    assert.equal(threaded.threads, 1);
    assert.match(threaded.why, /workers are forbidden/);
    const alone = await infoOf({ worker: true });
    assert.deepEqual([alone.worker, alone.threads], [false, 1]);
    assert.match(alone.why, /workers are forbidden/);
  } finally {
    threads.Worker = Worker;
  }
});

test('threads that never answer are waited for until their time is over', { timeout: 60_000 }, async () => {
  const threads = process.getBuiltinModule('node:worker_threads');
  const { Worker } = threads;
  let ended = 0;
  threads.Worker = class Mute {
    on() {}
    ref() {}
    unref() {}
    postMessage() {}
    terminate() {
      ++ended;
    }
  };
  try {
    env.wasm.numThreads = 3;
    const info = await infoOf();
    assert.deepEqual([info.threads, ended], [1, 2]);
    assert.match(info.why, /a thread did not start within 10 s/);
  } finally {
    threads.Worker = Worker;
  }
});

test('a module of the caller: with threads or without', async () => {
  const module = (name) => new WebAssembly.Module(readFileSync(new URL(`wasm/sardonyx-${name}.wasm`, dist)));
  env.wasm.numThreads = 2;
  env.wasm.wasmModule = module('simd-threads');
  assert.equal((await infoOf()).threads, 2);
  env.wasm.wasmModule = module('simd');
  const info = await infoOf();
  assert.equal(info.threads, 1);
  assert.match(info.why, /the module that was given/);
});

/** Runs the good model in a process of its own; what is not ended there would keep it alive. */
function inProcess(flags, settings, then = '') {
  const code = `
    import { env, InferenceSession, Tensor } from '${dist.href}index.js';
    Object.assign(env.wasm, ${JSON.stringify(settings)});
    const session = await InferenceSession.create(Uint8Array.from(${JSON.stringify([...goodModel()])}));
    const { y } = await session.run({ x: new Tensor('float32', new Float32Array(6).fill(1), [2, 3]) });
    console.log(JSON.stringify({ ...session.info, y: [...y.data] }));
    ${then}`;
  const args = [...flags, '--input-type=module', '-e', code];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 }));
}

test('threads and workers do not keep a process alive', () => {
  for (const settings of [{ numThreads: 3 }, { numThreads: 3, proxy: true }, { numThreads: 1, proxy: true }]) {
    for (const then of ['', 'await session.release();']) {
      const { threads, y } = inProcess([], settings, then);
      assert.deepEqual([threads, y], [settings.numThreads, [2, 3, 4, 0, 0, 0]]);
    }
  }
});

test('relaxed SIMD where the engine has it', () => {
  for (const [numThreads, variant] of [
    [1, 'relaxed'],
    [2, 'relaxed-threads'],
  ]) {
    const { y, ...info } = inProcess(relaxedFlag, { numThreads });
    assert.equal(info.variant, variant, info.why);
    assert.deepEqual(y, [2, 3, 4, 0, 0, 0]);
    assert.equal(inProcess(relaxedFlag, { numThreads, simd: 'fixed' }).variant, variant.replace('relaxed', 'simd'));
    // Behind a flag it is used where it is asked for; in workers too.
    for (const proxy of [undefined, true]) {
      const asked = inProcess([], { numThreads, simd: 'relaxed', proxy });
      assert.deepEqual([asked.variant, asked.y], [variant, [2, 3, 4, 0, 0, 0]], asked.why);
    }
  }
});

test('the probe is a module that is valid exactly with relaxed SIMD', {
  skip: !old && 'needs an engine without',
}, () => {
  assert.equal(inProcess([], { numThreads: 1 }).variant, 'simd');
});

// The installed package in other runtimes than the one that runs the tests: Node.js 22, 24 and 26, Deno, Bun, workerd.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { installApp, kAnswer, kExactBytes } from './environments.mjs';

const kNode = `node-${process.platform}-${process.arch}`;
const kPackages = [
  ...[22, 24, 26].map((version) => `node${version}@npm:${kNode}@${version}`),
  'deno@2.9.6',
  'bun@1.4.5',
  'workerd@1.20261117.1',
];
const kCommands = {
  'Node.js 22': ['node22/bin/node'],
  'Node.js 24': ['node24/bin/node'],
  'Node.js 26': ['node26/bin/node'],
  Deno: ['.bin/deno', 'run', '-A'],
  Bun: ['.bin/bun'],
};

// A path, a URL, bytes, a Blob, a stream; an error; two sessions at once; products of bytes.
const kProgram = `
import { readFile } from 'node:fs/promises';
import { InferenceSession, OnnxError, Tensor } from 'sardonyx';
${kExactBytes}
const x = new Tensor('float32', new Float32Array(6).fill(1), [2, 3]);
const bytes = await readFile('good.onnx');
const blob = new Blob([bytes]);
const sources = ['good.onnx', new URL('good.onnx', import.meta.url), bytes, blob, blob.stream(), new Response(blob)];
const sessions = await Promise.all(sources.map((source) => InferenceSession.create(source)));
const answers = await Promise.all(sessions.map(async (session) => [...(await session.run({ x })).y.data].join()));
const error = await sessions[0].run({}).catch((error) => error);
for (const session of sessions) await session.release();
const exact = await exactBytes(InferenceSession, Tensor, 'bytes.onnx');
console.log(JSON.stringify([...answers, error instanceof OnnxError && error.code, exact]));
`;

// Nothing is released, and the sessions stay reachable.
const kUnreleased = `
import { env, InferenceSession } from 'sardonyx';
env.wasm.numThreads = 2;
globalThis.sessions = [await InferenceSession.create('good.onnx'), await InferenceSession.create('good.onnx')];
if (process.argv.includes('--worker')) sessions.push(await InferenceSession.create('good.onnx', { worker: true }));
console.log(sessions.map(({ info }) => info.threads).join());
if (process.argv.includes('--exit')) process.exit(7);
`;

const kWorker = `
import { env, InferenceSession, Tensor } from './node_modules/sardonyx/dist/index.js';
import wasm from './node_modules/sardonyx/dist/wasm/sardonyx-simd.wasm';
import model from './good.onnx';
env.wasm.wasmModule = wasm;
export default {
  async fetch() {
    const session = await InferenceSession.create(model);
    const { y } = await session.run({ x: new Tensor('float32', new Float32Array(6).fill(1), [2, 3]) });
    await session.release();
    return new Response([...y.data].join());
  },
};
`;

let app;
before(() => {
  app = installApp(kPackages);
  writeFileSync(join(app.folder, 'program.mjs'), kProgram);
  writeFileSync(join(app.folder, 'unreleased.mjs'), kUnreleased);
});
after(() => app?.remove());

for (const [name, [command, ...args]] of Object.entries(kCommands)) {
  test(name, () => {
    const path = join(app.folder, 'node_modules', command);
    const output = execFileSync(path, [...args, 'program.mjs'], { cwd: app.folder, encoding: 'utf8' });
    assert.deepEqual(JSON.parse(output), [...Array(6).fill(kAnswer), 'invalid_input', 'exact']);
  });
}

for (const [name, [command, ...args]] of Object.entries(kCommands)) {
  test(`${name} ends though nothing is released`, () => {
    const path = join(app.folder, 'node_modules', command);
    for (const more of [[], ['--worker']]) {
      for (const [exit, code] of [
        [[], 0],
        [['--exit'], 7],
      ]) {
        const options = { cwd: app.folder, encoding: 'utf8', timeout: 30_000 };
        const { status, stdout, error } = spawnSync(path, [...args, 'unreleased.mjs', ...more, ...exit], options);
        assert.deepEqual([status, stdout.trim(), error], [code, more.length > 0 ? '2,2,2' : '2,2', undefined]);
      }
    }
  });
}

// Cloudflare's runtime compiles nothing at run time: the module is one of the worker's parts.
function workerConfig(folder) {
  const dist = 'node_modules/sardonyx/dist';
  const scripts = readdirSync(join(folder, dist), { recursive: true }).filter((name) => /\.m?js$/.test(name));
  const part = (name, kind) => `(name = "${name}", ${kind} = embed "${name}")`;
  const parts = [
    part('worker.js', 'esModule'),
    ...scripts.map((name) => part(`${dist}/${name}`, 'esModule')),
    part(`${dist}/wasm/sardonyx-simd.wasm`, 'wasm'),
    part('good.onnx', 'data'),
  ];
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .app)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const app :Workerd.Worker = (compatibilityDate = "2026-11-01", modules = [
  ${parts.join(',\n  ')},
]);
`;
}

/** The port of its socket, once workerd has told it on file descriptor 3. */
function listening(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    let complaints = '';
    child.stderr.on('data', (chunk) => {
      complaints += chunk;
    });
    child.stdio[3].on('data', (chunk) => {
      said += chunk;
      const port = /"event":"listen".*"port":(\d+)/.exec(said)?.[1];
      if (port) resolve(port);
    });
    child.on('exit', (code) => reject(new Error(`workerd ended with ${code}: ${complaints}`)));
  });
}

test('workerd', async () => {
  writeFileSync(join(app.folder, 'worker.js'), kWorker);
  writeFileSync(join(app.folder, 'config.capnp'), workerConfig(app.folder));
  const path = join(app.folder, 'node_modules', '.bin', 'workerd');
  const args = ['serve', 'config.capnp', '--control-fd=3'];
  const child = spawn(path, args, { cwd: app.folder, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  try {
    const response = await fetch(`http://127.0.0.1:${await listening(child)}/`);
    assert.equal(await response.text(), kAnswer);
  } finally {
    child.kill();
  }
});

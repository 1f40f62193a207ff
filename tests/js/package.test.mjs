// The package as it is packed: installed elsewhere it works, and it holds what it should and nothing else.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { blockFunctions } from '../../scripts/lib/glue.mjs';
import { goodModel } from './make_model.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
let folder;
let files;
let bytes;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sardonyx-package-'));
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }));
  files = packed.files.map((file) => file.path);
  bytes = packed.unpackedSize;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', type: 'module', private: true }));
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', packed.filename];
  execFileSync('npm', install, { cwd: folder, stdio: 'pipe' });
});
after(() => rmSync(folder, { recursive: true }));

const run = (code) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, encoding: 'utf8' });

test('the installed package runs a model', () => {
  writeFileSync(join(folder, 'good.onnx'), goodModel());
  const output = run(`
    import { env, InferenceSession, OnnxError, Tensor } from 'sardonyx';
    const session = await InferenceSession.create('good.onnx');
    const { y } = await session.run({ x: new Tensor('float32', new Float32Array(6).fill(1), [2, 3]) });
    const error = await session.run({}).catch((error) => error);
    await session.release();
    console.log(JSON.stringify([[...y.data], error instanceof OnnxError, env.versions.sardonyx]));
  `);
  assert.deepEqual(JSON.parse(output), [[2, 3, 4, 0, 0, 0], true, manifest.version]);
});

test('the installed command runs it too', () => {
  writeFileSync(join(folder, 'good.onnx'), goodModel());
  const command = join(folder, 'node_modules', '.bin', 'sardonyx');
  const output = execFileSync(command, ['run', 'good.onnx', '--json'], { cwd: folder, encoding: 'utf8' });
  assert.deepEqual(JSON.parse(output).outputs[0].dims, [2, 3]);
});

test('sardonyx/embedded needs no file', () => {
  const wasm = join(folder, 'node_modules', 'sardonyx', 'dist', 'wasm', 'sardonyx-simd.wasm');
  renameSync(wasm, `${wasm}.away`);
  try {
    const output = run(`
      import { InferenceSession, Tensor } from 'sardonyx/embedded';
      const session = await InferenceSession.create(await import('node:fs').then((fs) => fs.readFileSync('good.onnx')));
      const { y } = await session.run({ x: new Tensor('float32', new Float32Array(6).fill(1), [2, 3]) });
      await session.release();
      console.log([...y.data].join());
    `);
    assert.equal(output.trim(), '2,3,4,0,0,0');
  } finally {
    renameSync(`${wasm}.away`, wasm);
  }
});

test('everything is exported by name', () => {
  const output = run(`import * as ort from 'sardonyx'; console.log(Object.keys(ort).join());`);
  const compatible = 'TRACE,TRACE_EVENT_BEGIN,TRACE_EVENT_END,TRACE_FUNC_BEGIN,TRACE_FUNC_END,registerBackend'.split(
    ',',
  );
  const own = ['InferenceSession', 'OnnxError', 'Tensor', 'chromeTrace', 'env', 'registerOperator'];
  assert.deepEqual(output.trim().split(','), [...compatible, ...own, 'default'].sort());
});

test('the default export has all names, of the package and of its entries', () => {
  const output = run(`
    const wrong = [];
    for (const name of ['sardonyx', 'sardonyx/embedded', 'sardonyx/all', 'sardonyx/wasm', 'sardonyx/webgpu']) {
      const { default: ort, ...names } = await import(name);
      if (Object.keys(ort).join() !== Object.keys(names).join()) wrong.push(name);
      for (const key of Object.keys(names)) if (ort[key] !== names[key]) wrong.push(name + ' ' + key);
    }
    console.log(JSON.stringify(wrong));
  `);
  assert.deepEqual(JSON.parse(output), []);
  // One request for what index.js needs.
  const text = readFileSync(join(folder, 'node_modules', 'sardonyx', 'dist', 'sardonyx.js'), 'utf8');
  assert.doesNotMatch(text, /^import (?!.*onnxruntime)/m);
});

test('importing fetches and compiles nothing', () => {
  const output = run(`
    let asked = 0;
    globalThis.fetch = () => ++asked;
    const { compile, instantiate, validate } = WebAssembly;
    Object.assign(WebAssembly, {
      compile: (...args) => (++asked, compile(...args)),
      instantiate: (...args) => (++asked, instantiate(...args)),
      validate: (...args) => (++asked, validate(...args)),
    });
    await import('sardonyx');
    console.log(asked);
  `);
  assert.equal(output.trim(), '0');
});

test('it holds the modules, their types and the licences', () => {
  assert.ok(files.includes('dist/wasm/sardonyx-simd.wasm'));
  assert.ok(files.includes('dist/wasm/sardonyx-simd.mjs'));
  assert.ok(files.includes('dist/index.d.ts'));
  assert.ok(files.includes('LICENSE') && files.includes('README.md') && files.includes('NOTICE.md'));
  const allowed =
    /^(dist\/([a-z_]+\.(js|d\.ts)|cli\/[\w-]+\.js|tools\/[a-z_]+\.d\.ts|wasm\/sardonyx-[a-z-]+\.(wasm|mjs))|LICENSE|README\.md|NOTICE\.md|licenses\/Apache-2\.0\.txt|package\.json)$/;
  assert.deepEqual(
    files.filter((path) => !allowed.test(path)),
    [],
  );
});

test('less than 8 MB, with the modules that are built', () => {
  assert.ok(bytes > 1_000_000 && bytes < 8_000_000, `${bytes} bytes`);
});

test('no eval, no CDN, nothing of Node for a bundler to trip over', () => {
  const dist = join(folder, 'node_modules', 'sardonyx', 'dist');
  // The command line is for Node.js only, and no other file imports it.
  const scripts = readdirSync(dist, { recursive: true }).filter((name) => /^(?!cli\/).*\.m?js$/.test(name));
  assert.ok(scripts.length >= 5, scripts.join());
  for (const name of scripts) {
    const text = readFileSync(join(dist, name), 'utf8');
    assert.doesNotMatch(text, /\beval\(|new Function\(|\bFunction\(/, name);
    assert.doesNotMatch(text, /(from|import\() *['"](node:|fs|path|module|url)/, name);
    assert.doesNotMatch(text, /\brequire\(/, name);
    assert.doesNotMatch(text, /commander|['"/]cli\//, name);
    assert.doesNotMatch(text, /https?:\/\//, name);
    // A worker's script that starts itself makes Turbopack wait for ever.
    if (name === 'engine_worker.js') assert.doesNotMatch(text, /['"`][^'"`\n]*engine_worker\.js/, name);
  }
});

test('no module declares functions in blocks, which become variables of others in scripts that are not strict', () => {
  const namesIn = (code) => blockFunctions(code, 'sample.mjs').map(({ id }) => id.name);
  assert.deepEqual(namesIn('function a() { function b() {} } if (a) { function c() { { function d() {} } } }'), [
    'c',
    'd',
  ]);
  assert.deepEqual(namesIn('const f = () => { function g() {} }; for (;;) { var h = function i() {}; }'), []);
  const wasm = join(folder, 'node_modules', 'sardonyx', 'dist', 'wasm');
  const glues = readdirSync(wasm).filter((name) => name.endsWith('.mjs'));
  assert.ok(glues.length >= 2, glues.join());
  for (const name of glues) assert.deepEqual(blockFunctions(readFileSync(join(wasm, name), 'utf8'), name), [], name);
});

// The package as it is packed: installed elsewhere it works, and it holds what it should and nothing else.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { blockFunctions } from '../../scripts/lib/glue.mjs';
import { goodModel } from './make_model.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
let folder;
let unpacked;
let readmeAfter;
let files;
let bytes;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sardonyx-package-'));
  // npm pack changes the README for a while: here it is that of a copy.
  const clone = join(folder, 'clone');
  const parts = [
    'CHANGELOG.md',
    'LICENSE',
    'NOTICE.md',
    'README.md',
    'dist',
    'docs',
    'licenses',
    'package.json',
    'scripts',
  ];
  for (const name of parts) cpSync(join(root, name), join(clone, name), { recursive: true });
  const options = { cwd: clone, encoding: 'utf8', stdio: 'pipe' };
  // The settings of whoever runs the tests may leave out scripts, which change the README.
  const pack = ['pack', '--silent', '--ignore-scripts=false', '--pack-destination'];
  const tarball = execFileSync('npm', [...pack, folder], options).trim();
  readmeAfter = readFileSync(join(clone, 'README.md'), 'utf8');
  rmSync(clone, { recursive: true });
  execFileSync('tar', ['xzf', tarball], { cwd: folder });
  unpacked = join(folder, 'package');
  files = readdirSync(unpacked, { recursive: true }).filter((name) => statSync(join(unpacked, name)).isFile());
  bytes = files.reduce((sum, name) => sum + statSync(join(unpacked, name)).size, 0);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', type: 'module', private: true }));
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball];
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
    /^(dist\/([a-z_]+\.(js|d\.ts)|cli\/[\w-]+\.js|tools\/[a-z_]+\.d\.ts|wasm\/sardonyx-[a-z-]+\.(wasm|mjs))|docs\/(CLI|EMBEDDING|FROM-PYTORCH|TOOLS)\.md|LICENSE|README\.md|NOTICE\.md|licenses\/Apache-2\.0\.txt|package\.json)$/;
  assert.deepEqual(
    files.filter((path) => !allowed.test(path)),
    [],
  );
});

test('less than 8 MB, with the modules that are built', () => {
  assert.ok(bytes > 1_000_000 && bytes < 8_000_000, `${bytes} bytes`);
});

/** The anchors of a page's headings, as GitHub and npm make them. */
function anchorsOf(markdown) {
  const headings = markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} +(.*?) *$/gm);
  const slug = (text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  return new Set(Array.from(headings, ([, text]) => slug(text)));
}

/** What is wrong with the places that a page of the package names: [link, why]. */
function deadLinks(path, markdown, has, read) {
  const text = markdown.replace(/^```[\s\S]*?^```/gm, '');
  const prose = text.replace(/`[^`\n]*`/g, '');
  const links = [
    ...Array.from(prose.matchAll(/\]\(\s*<?([^)\s>]+)/g), ([, link]) => link),
    ...Array.from(prose.matchAll(/^\s*\[[^\]]+\]:\s*<?([^\s>]+)/gm), ([, link]) => link),
    ...Array.from(prose.matchAll(/\b(?:src|href)\s*=\s*["']([^"']+)/g), ([, link]) => link),
    // Pages are named without links, too; from the package's folder, as in the repository.
    ...Array.from(
      text.matchAll(/(?<!\]\()(?<![\w/-])((?:[\w-]+\/)*[A-Z][A-Z-]+\.md)\b(?! of the repository)/g),
      ([, name]) => `/${name}`,
    ),
  ];
  return links.flatMap((link) => {
    if (/^[a-z][a-z+.-]*:/i.test(link)) return [];
    const [name, anchor] = link.split('#');
    const target = name === '' ? path : normalize(name.startsWith('/') ? name.slice(1) : join(dirname(path), name));
    if (!has(target)) return [`${path}: ${link} is not in the package`];
    const isThere = anchor === undefined || anchorsOf(read(target)).has(anchor);
    return isThere ? [] : [`${path}: there is no heading #${anchor} in ${target}`];
  });
}

test('no link of its pages is dead', () => {
  const page =
    '# One\n\n[a](two.md) [b](two.md#two-of-them) [c](#one) [d](https://example.org) see ../x\n\n[e]: three.md\n';
  const others =
    '[f](../two.md#two) <img src="a.png"> `<img src="b.png">` (docs/FOUR.md, FIVE.md of the repository)\n\n```\n[g](no.md)\n```\n';
  const two = '# Two, of `them`!\n\n```\n# One\n```\n';
  const small = { 'one.md': page, 'two.md': two, 'docs/others.md': others };
  const dead = Object.keys(small).flatMap((path) =>
    deadLinks(
      path,
      small[path],
      (p) => p in small,
      (p) => small[p],
    ),
  );
  assert.deepEqual(dead, [
    'one.md: three.md is not in the package',
    'docs/others.md: there is no heading #two in two.md',
    'docs/others.md: a.png is not in the package',
    'docs/others.md: /docs/FOUR.md is not in the package',
  ]);

  const read = (path) => readFileSync(join(unpacked, path), 'utf8');
  const pages = files.filter((path) => path.endsWith('.md'));
  assert.ok(pages.includes('README.md') && pages.includes('docs/EMBEDDING.md'), pages.join());
  assert.deepEqual(
    pages.flatMap((path) => deadLinks(path, read(path), (name) => files.includes(name), read)),
    [],
  );
});

test('its README is the one of the repository without what only a clone has, and that is as it was', () => {
  const [packed, ours] = [
    readFileSync(join(unpacked, 'README.md'), 'utf8'),
    readFileSync(join(root, 'README.md'), 'utf8'),
  ];
  assert.equal(readmeAfter, ours);
  assert.match(ours, /studio\.webp[\s\S]*npm start/);
  assert.doesNotMatch(packed, /studio\.webp|npm start|<!--/);
  assert.match(packed, /^# Sardonyx\n\nRuns[\s\S]*InferenceSession\.create[\s\S]*MIT licence/);
  for (const line of packed.split('\n')) assert.ok(ours.includes(line), line);
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

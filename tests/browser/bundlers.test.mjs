// examples/bundlers: each is built from the packed package by its own build script, and its page runs a model. The
// bundlers come from the npm registry, so this is one of the heavy tests.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { goodModel } from '../js/make_model.mjs';
import { launch, serve, watch } from './browser.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const skip = process.env.SARDONYX_TEST_ALL ? false : 'npm run test:all';

// Where each build leaves its page.
const kPages = {
  vite: 'vite/dist/index.html',
  webpack: 'webpack/index.html',
  esbuild: 'esbuild/index.html',
  rollup: 'rollup/index.html',
};
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
let folder;
let tarball;
let browser;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'sardonyx-bundlers-'));
  cpSync(join(root, 'examples', 'bundlers'), folder, { recursive: true });
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  tarball = join(folder, JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }))[0].filename);
  writeFileSync(join(folder, 'good.onnx'), goodModel());
  browser = await launch();
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

const kIsolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/** The page at `path` of a server under a sub-path runs the model; it says that `who` has. */
async function runs(path, who, places = {}, headers = {}) {
  const server = await serve({ ...places, '/favicon.ico': { text: '' }, '/sub/': folder }, headers);
  const page = await browser.newPage();
  const problems = watch(page);
  try {
    await page.goto(`${server.origin}/sub/${path}`);
    await page.locator('input').setInputFiles(join(folder, 'good.onnx'));
    const text = await page.waitForFunction(
      () => /^(?!\.\.\.).+/s.exec(document.querySelector('pre').textContent)?.[0],
    );
    assert.equal(await text.jsonValue(), `y: float32[2, 3]\n${who}`);
    // The script of a worker that a bundler has left behind.
    const missing = who === '1 thread' && path.includes('?') ? /404/ : /^$/;
    assert.deepEqual(
      problems.filter((problem) => !missing.test(problem)),
      [],
    );
    return server.asked;
  } finally {
    await page.close();
    server.close();
  }
}

async function runsInPage(path, takesFiles, places = {}) {
  const asked = await runs(path, '1 thread', places);
  const wasm = asked.filter((file) => file.endsWith('.wasm'));
  assert.equal(wasm.length, takesFiles ? 1 : 0, `asked for ${wasm}`);
}

/** Its page runs in the page itself, in a worker, and with threads, where the bundler takes the workers along. */
async function runsEverywhere(path, takesFiles, places = {}) {
  await runsInPage(path, takesFiles, places);
  await runs(`${path}?worker`, takesFiles ? '1 thread in a worker' : '1 thread', places);
  await runs(`${path}?worker&threads=2`, takesFiles ? '2 threads in a worker' : '1 thread', places, kIsolated);
}

// A bundler that waits for ever is a failure, too; `timeout` ends what npm has started with it.
function npm(name, ...args) {
  try {
    return execFileSync('timeout', ['240', 'npm', ...args], {
      cwd: join(folder, name),
      encoding: 'utf8',
      stdio: 'pipe',
      env,
    });
  } catch (error) {
    const late = error.status === 124 ? 'is not done in time\n' : '';
    throw new Error(`npm ${args.join(' ')} in ${name}: ${late}${error.stdout}${error.stderr}`);
  }
}

for (const [name, path] of Object.entries(kPages)) {
  test(name, { skip }, async () => {
    npm(name, 'install', '--no-audit', '--no-fund', '--no-save', tarball);
    npm(name, 'run', 'build');
    const runsOf = name === 'webpack' ? runsInPage : runsEverywhere;
    await runsOf(path, !['esbuild', 'rollup'].includes(name));
  });
}

// It has two bundlers. It writes addresses from the root on.
for (const bundler of ['webpack', 'turbopack']) {
  test(`Next.js, ${bundler}`, { skip }, async () => {
    npm('next', 'install', '--no-audit', '--no-fund', '--no-save', tarball);
    npm('next', 'run', 'build', '--', `--${bundler}`);
    await runsInPage('next/out/index.html', true, { '/_next/': join(folder, 'next', 'out', '_next') });
  });
}

test('no bundler', { skip }, async () => {
  execFileSync('tar', ['xzf', tarball], { cwd: folder });
  cpSync(join(folder, 'package', 'dist'), join(folder, 'script', 'sardonyx'), { recursive: true });
  await runsEverywhere('script/index.html', true);
});

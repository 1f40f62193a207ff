// Makes everything present that building and testing need; does nothing, and takes no time, where it is there already.
//
//   node scripts/setup.mjs [--test]
//
// node modules (npm ci), Debian packages (only the missing ones, and root only for these), Emscripten (into the cache,
// outside the clone). --test adds what `npm test` needs. Safe to run again, and after a run that was cut off.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cache, root } from './lib/paths.mjs';
import { main, SetupError, say, step } from './lib/step.mjs';

const onPath = (name) => process.env.PATH.split(delimiter).some((folder) => existsSync(join(folder, name)));
const anyFile = (...names) => names.some((name) => existsSync(name));
const inFolders = (folders, part) => folders.some((folder) => existsSync(folder) && readdirSync(folder).includes(part));
const libraryFolders = ['/usr/lib', '/usr/lib64', `/usr/lib/${debianTriplet()}`];

function debianTriplet() {
  return { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }[process.arch] ?? `${process.arch}-linux-gnu`;
}

function fuzzerRuntime() {
  const folder = '/usr/lib/llvm-19/lib/clang/19/lib/linux';
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('libclang_rt.fuzzer-'));
}

// [the Debian package, is what it brings here?]: looked up by file, so that a tool from elsewhere will do as well.
const buildNeeds = [
  ['cmake', () => onPath('cmake')],
  ['ninja-build', () => onPath('ninja')],
  ['python3', () => onPath('python3')],
  ['protobuf-compiler', () => onPath('protoc')],
  ['git', () => onPath('git')],
  ['xz-utils', () => onPath('xz')],
  ['bzip2', () => onPath('bzip2')],
  ['ccache', () => onPath('ccache')],
];
const testNeeds = [
  ['clang-19', () => onPath('clang++-19')],
  ['clang-format-19', () => onPath('clang-format-19')],
  ['libclang-rt-19-dev', fuzzerRuntime],
  ['libc6-dev', () => anyFile('/usr/include/stdlib.h')],
  [
    'libstdc++-12-dev',
    () => inFolders(['/usr/include/c++'], '12') || anyFile('/usr/include/c++/14', '/usr/include/c++/13'),
  ],
  ['libprotobuf-dev', () => inFolders(libraryFolders, 'libprotobuf-lite.so')],
  ['libsimde-dev', () => anyFile('/usr/include/simde/wasm/simd128.h')],
  ['libgtest-dev', () => inFolders(libraryFolders, 'libgtest.a')],
];
const browserNeeds = [['chromium', () => onPath('chromium')]];
// What `npm run test:all` needs besides.
const allNeeds = [
  ['firefox-esr', () => onPath('firefox-esr')],
  ['webkit2gtk-driver', () => onPath('WebKitWebDriver')],
  ['xvfb', () => onPath('xvfb-run')],
  ['xauth', () => onPath('xauth')],
];

/**
 * @param {{test?: boolean, all?: boolean, browser?: boolean}} [options] test: what `npm test` needs as well, Chromium
 *   among it; all: and `npm run test:all`; browser: Chromium only
 * @returns {Promise<NodeJS.ProcessEnv>} the environment in which emcc is on PATH
 */
export async function setup(options = {}) {
  await nodeModules();
  const { test = false, all = false, browser = test } = options;
  const chosen = [
    [true, buildNeeds],
    [test, testNeeds],
    [browser, browserNeeds],
    [all, allNeeds],
  ];
  const needs = chosen.flatMap(([wanted, list]) => (wanted ? list : []));
  await debianPackages(needs);
  return emscripten();
}

async function nodeModules() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules', '.sardonyx-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  await step('node modules (npm ci)', 'npm', ['ci'], { cwd: root });
  writeFileSync(stamp, lock);
}

async function debianPackages(needs) {
  const missing = needs.filter(([, present]) => !present()).map(([name]) => name);
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (!onPath('apt-get')) throw new SetupError(`missing here: ${missing.join(', ')} (names of Debian's packages)`);
  if (process.getuid() !== 0) {
    throw new SetupError(`missing here: ${missing.join(', ')}\n  as root:  apt-get update && ${command}`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await step('package lists (apt-get update)', 'apt-get', ['update', '-q'], { env });
  await step(`Debian packages: ${missing.join(' ')}`, 'apt-get', command.split(' ').slice(1), { env });
  const still = needs.filter(([, present]) => !present()).map(([name]) => name);
  if (still.length > 0) throw new SetupError(`installed, but not usable: ${still.join(', ')}`);
}

async function emscripten() {
  const prefix = join(cache, 'emscripten-3.1.69');
  const script = join(root, 'scripts', 'bootstrap-emscripten.sh');
  if (!existsSync(join(prefix, '.complete'))) {
    await step('Emscripten 3.1.69 (about 320 MB to download, once)', 'sh', [script, prefix], { live: true });
  }
  // A complete prefix is checked again: an emcc that it borrowed from PATH may have gone.
  const { output } = await quiet('sh', [
    '-c',
    'sh "$1" "$2" 2>/dev/null && . "$2/env.sh" && env -0',
    'sh',
    script,
    prefix,
  ]);
  const names = ['PATH', 'EMSCRIPTEN', 'EMSCRIPTEN_PREFIX', 'EMSDK_PYTHON'];
  const found = new Map(
    output.split('\0').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  if (!found.get('EMSCRIPTEN'))
    throw new SetupError(`Emscripten in ${prefix} is not usable: delete that folder and try again`);
  const env = { ...process.env, SARDONYX_CACHE: cache };
  for (const name of names) if (found.has(name)) env[name] = found.get(name);
  return env;
}

async function quiet(command, args) {
  const { spawnSync } = await import('node:child_process');
  const result = spawnSync(command, args, { encoding: 'utf8' });
  return { code: result.status, output: result.stdout ?? '' };
}

if (import.meta.filename === process.argv[1]) {
  await main(async () => {
    await setup({ test: process.argv.includes('--test') });
    say('everything is there');
  });
}

// Builds the package into dist/: the wasm module of each variant with its glue, and the TypeScript.
//
//   node scripts/build.mjs [--variants simd,relaxed,...|all]
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defaultVariants, root, variants } from './lib/paths.mjs';
import { main, SetupError, say, seconds, step } from './lib/step.mjs';
import { setup } from './setup.mjs';

const dist = join(root, 'dist');

/** Configures build/<preset> if need be, and builds its `targets` (all by default). */
export async function cmake(preset, env, targets = []) {
  const folder = join(root, 'build', preset);
  const options = [...staleToolchain(folder, env), `-DSARDONYX_WERROR=${process.env.CI ? 'ON' : 'OFF'}`];
  await step(`configure ${preset}`, 'cmake', ['--preset', preset, ...options], { cwd: root, env });
  const targetArgs = targets.length > 0 ? ['--target', ...targets] : [];
  await step(`build ${preset}`, 'cmake', ['--build', folder, ...targetArgs], { cwd: root, env });
}

// CMake keeps the toolchain of its first run; another Emscripten needs a fresh start.
function staleToolchain(folder, env) {
  const file = join(folder, 'CMakeCache.txt');
  if (!existsSync(file)) return [];
  const toolchain = /^CMAKE_TOOLCHAIN_FILE:\w+=(.*)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return toolchain && !toolchain.startsWith(env.EMSCRIPTEN) ? ['--fresh'] : [];
}

export async function typescript() {
  const source = join(root, 'web', 'src');
  const files = readdirSync(source, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .sort();
  const hash = createHash('sha256');
  for (const name of ['tsconfig.json', 'scripts/lib/bundle.mjs']) hash.update(readFileSync(join(root, name)));
  for (const name of files) hash.update(`\0${name}\0`).update(readFileSync(join(source, name)));
  const key = hash.digest('hex');
  const stamp = join(root, 'build', 'typescript.stamp');
  const there = existsSync(stamp) && existsSync(join(dist, 'index.js'));
  if (there && readFileSync(stamp, 'utf8') === key) return;
  for (const name of existsSync(dist) ? readdirSync(dist) : [])
    if (name !== 'wasm') rmSync(join(dist, name), { recursive: true });
  const modules = join(root, 'build', 'typescript');
  rmSync(modules, { recursive: true, force: true });
  const args = ['-p', 'tsconfig.json', '--outDir', modules];
  await step('TypeScript', join(root, 'node_modules/.bin/tsc'), args, { cwd: root });
  const { bundle, bundleCli } = await import('./lib/bundle.mjs');
  await bundle(modules, dist);
  await bundleCli(join(source, 'cli'), join(dist, 'cli'));
  writeFileSync(stamp, key);
}

/** A module whose default export is a file, compressed, in base64 (web/src/embedded.ts). */
function embedded(path) {
  return `export default '${gzipSync(readFileSync(path), { level: 9 }).toString('base64')}';\n`;
}

/** @param {NodeJS.ProcessEnv} env what setup() gave; @param {string[]} names variants of lib/paths.mjs */
export async function build(env, names = defaultVariants) {
  mkdirSync(join(dist, 'wasm'), { recursive: true });
  const { glueOf } = await import('./lib/glue.mjs');
  for (const name of names) {
    const target = name.startsWith('relaxed') ? 'sardonyx_relaxed' : 'sardonyx';
    const preset = name.endsWith('-threads') ? 'wasm-simd-threads' : 'wasm-simd';
    await cmake(preset, env, name === 'simd' ? [target, 'sardonyx_codecs_module', 'sardonyx_tools_module'] : [target]);
    const built = join(root, 'build', preset, target);
    const packed = join(dist, 'wasm', `sardonyx-${name}`);
    copyFileSync(`${built}.wasm`, `${packed}.wasm`);
    writeFileSync(`${packed}.mjs`, glueOf(`${built}.mjs`));
    if (name !== 'simd') continue;
    for (const late of ['codecs', 'tools'])
      copyFileSync(join(root, 'build', preset, `sardonyx_${late}.wasm`), join(dist, 'wasm', `sardonyx-${late}.wasm`));
    writeFileSync(`${packed}-embedded.mjs`, embedded(`${packed}.wasm`));
  }
  await typescript();
}

function chosenVariants(args) {
  const at = args.indexOf('--variants');
  if (at < 0) return defaultVariants;
  const names = args[at + 1] === 'all' ? variants : (args[at + 1] ?? '').split(',');
  const unknown = names.filter((name) => !variants.includes(name));
  if (unknown.length > 0)
    throw new SetupError(`no such variant: ${unknown.join(', ')} (there are ${variants.join(', ')})`);
  return names;
}

if (import.meta.filename === process.argv[1]) {
  await main(async () => {
    const start = performance.now();
    const names = chosenVariants(process.argv.slice(2));
    await build(await setup(), names);
    say(`dist/ is built in ${seconds(start)}`);
  });
}

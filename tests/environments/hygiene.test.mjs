// The packed package as the ecosystem's own checkers see it, and what an app that only runs a model gets of it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'vite';
import { installApp } from './environments.mjs';

const kMostScript = 60_000; // bytes of minified JavaScript
let app;

before(() => {
  app = installApp(['publint@0.3.25', '@arethetypeswrong/cli@0.18.5']);
});
after(() => app?.remove());

// What a checker of node_modules/.bin prints; it fails where it ends with another code than 0.
function checked(name, ...args) {
  const tarball = readdirSync(app.folder).find((file) => file.endsWith('.tgz'));
  try {
    const command = join(app.folder, 'node_modules', '.bin', name);
    return execFileSync(command, [tarball, ...args], { cwd: app.folder, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    throw new Error(`${name}:\n${error.stdout}${error.stderr}`);
  }
}

test('publint has nothing to say', () => {
  assert.match(checked('publint', '--strict'), /All good!/);
});

test('the types resolve in every way that ES modules can be found', () => {
  assert.doesNotMatch(checked('attw', '--profile', 'esm-only'), /💀|❌/u);
});

for (const [how, line, ort] of [
  ['', `import { InferenceSession, Tensor } from 'sardonyx';`, ''],
  [', by the default export', `import ort from 'sardonyx';`, 'ort.'],
]) {
  test(`an app that only runs a model gets less than 60 KB of JavaScript${how}`, () => smallApp(line, ort));
}

async function smallApp(line, ort) {
  writeFileSync(
    join(app.folder, 'app.js'),
    `${line}
     const session = await ${ort}InferenceSession.create('model.onnx');
     const { y } = await session.run({ x: new ${ort}Tensor('float32', [1, 2], [2]) });
     document.title = y.data.join();`,
  );
  const input = join(app.folder, 'app.js');
  const outDir = join(app.folder, 'out');
  await build({
    root: app.folder,
    logLevel: 'error',
    build: { outDir, emptyOutDir: true, target: 'es2022', rollupOptions: { input }, assetsInlineLimit: 0 },
  });
  const scripts = readdirSync(outDir, { recursive: true }).filter((name) => name.endsWith('js'));
  // Each variant of the module has JavaScript of its own; a page loads that of one. Threads, the side of workers,
  // image codecs and Tensor.fromImage() load where they are used, and run what a page without them does not load.
  const sizeOf = (name) => readFileSync(join(outDir, name)).length;
  const isLate = (name) =>
    /(-threads|\/threads|\/codecs|\/codecs_loading|\/external_data|\/held_tensor|\/image_pixels|\/run_error|\/self_test|\/option_names|\/workers|\/(moving|remote)_engine|\/engine_worker)-/.test(
      name,
    );
  const variants = scripts.filter((name) => /sardonyx-(simd|relaxed)-/.test(name) && !isLate(name));
  const others = scripts.filter((name) => !variants.includes(name) && !isLate(name));
  assert.ok(variants.length === 2 && others.length > 0, scripts.join());
  const bytes = others.reduce((sum, name) => sum + sizeOf(name), Math.max(...variants.map(sizeOf)));
  assert.ok(bytes < kMostScript, `${bytes} bytes of ${scripts.join()}`);
  // chromeTrace() is asked for by nobody.
  const texts = others.map((name) => readFileSync(join(outDir, name), 'utf8'));
  assert.ok(!texts.some((text) => text.includes('traceEvents')), 'what nobody asks for is there');
}

// A page written for onnxruntime-web sees the same with this package behind its import.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { externalModel, identityModel, tensorType, twoByTwo } from '../js/make_model.mjs';
import { launch, serve } from './browser.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kModules = { theirs: '/theirs/ort.wasm.bundle.min.mjs', ours: '/ours/index.js' };
const binary = (bytes) => ({ text: Buffer.from(bytes), type: 'application/octet-stream' });
let server;
let browser;

before(async () => {
  const imports = (module) => `<script type="importmap">{"imports": {"onnxruntime-web": "${module}"}}</script>`;
  const page = (module) =>
    `<!doctype html><title>page</title>${imports(module)}<script type="module" src="app.js"></script>`;
  const { model, weights } = externalModel();
  const files = {
    'app.js': { text: readFileSync(new URL('dropin_program.js', import.meta.url)), type: 'text/javascript' },
    'sums.onnx': binary(twoByTwo()),
    'float32.onnx': binary(identityModel(tensorType('float32'))),
    'external.onnx': binary(model),
    'weights.bin': binary(weights),
  };
  const places = Object.fromEntries(
    Object.entries(kModules).flatMap(([who, module]) => [
      [`/page/${who}/`, { text: page(module) }],
      ...Object.entries(files).map(([name, file]) => [`/page/${who}/${name}`, file]),
    ]),
  );
  server = await serve({
    ...places,
    '/favicon.ico': { text: '' },
    '/ours/': join(root, 'dist'),
    '/theirs/': join(root, 'node_modules/onnxruntime-web/dist'),
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

async function seen(who, query) {
  const page = await browser.newPage();
  const thrown = [];
  page.on('pageerror', (error) => thrown.push(String(error)));
  await page.goto(`${server.origin}/page/${who}/${query}`);
  await Promise.race([page.waitForFunction(() => globalThis.lines), page.waitForEvent('pageerror')]);
  const lines = await page.evaluate(() => globalThis.lines);
  await page.close();
  assert.deepEqual(thrown, [], who);
  return lines;
}

for (const query of ['', '?proxy']) {
  test(`the same page sees the same: ${query || 'in the page'}`, async () => {
    const theirs = await seen('theirs', query);
    assert.ok(theirs.length > 45, theirs.join('\n'));
    assert.deepEqual(await seen('ours', query), theirs);
  });
}

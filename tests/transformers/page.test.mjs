// The same app as a page that Vite builds, in Chromium: Transformers.js with npm's overrides and nothing else.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'vite';
import { launch, serve, watch } from '../browser/browser.mjs';
import { appOnSardonyx, unpackModels } from './app.mjs';
import { kCommitted } from './cases.mjs';
import { differenceOf } from './compare.mjs';

const models = mkdtempSync(join(tmpdir(), 'sardonyx-transformers-'));
const kPage = `<!doctype html><meta charset="utf-8"><title>app</title><script type="module">
  import { runCases } from './client.mjs';
  window.runCases = runCases;
</script>`;
let app;
let browser;

before(async () => {
  unpackModels(models);
  app = appOnSardonyx();
  writeFileSync(join(app.folder, 'index.html'), kPage);
  await build({ root: app.folder, base: './', logLevel: 'error', build: { target: 'esnext' } });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  app?.remove();
  rmSync(models, { recursive: true });
});

test('a page built by Vite', async () => {
  const server = await serve({ '/favicon.ico': { text: '' }, '/models/': models, '/': join(app.folder, 'dist') });
  const page = await browser.newPage();
  const problems = watch(page);
  try {
    await page.goto(`${server.origin}/index.html`);
    await page.waitForFunction(() => window.runCases);
    const results = await page.evaluate((list) => window.runCases(list, { localModelPath: '/models/' }), kCommitted);
    const expected = JSON.parse(readFileSync(new URL('models/reference.json', import.meta.url), 'utf8'));
    const wrong = kCommitted.map((name, i) => {
      const problem = differenceOf(results[i], expected[name]);
      return problem && `${name.join(' ')}: ${problem}`;
    });
    assert.equal(wrong.filter(Boolean).join('\n'), '');
    // It asks for files that a model may have or not.
    assert.deepEqual(
      problems.filter((text) => !/404/.test(text)),
      [],
    );
    assert.deepEqual(
      server.asked.filter((path) => /ort-wasm/.test(path)),
      [],
    );
  } finally {
    await page.close();
    server.close();
  }
});

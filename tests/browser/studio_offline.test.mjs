// The studio without its server: once loaded it works on; what it weighs; that threads come with the service worker.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { goodModel } from '../models/tiny_model.mjs';
import { choose, file, readyToRun, run, studioOfTests, tab } from './studio_page.mjs';

const site = studioOfTests();

test('the JavaScript of the page, without optional parts, is small', (t) => {
  const assets = join(site.folder, 'assets');
  const files = readdirSync(assets).filter((name) => /\.m?js$/.test(name) && !/ort|peer_worker/.test(name));
  // Of the four builds' glue a page loads one.
  const glue = /^sardonyx-(?!relaxed-threads)/;
  const sizes = files
    .filter((name) => !glue.test(name))
    .map((name) => gzipSync(readFileSync(join(assets, name))).length);
  const sum = sizes.reduce((a, b) => a + b, 0);
  t.diagnostic(`${Math.round(sum / 1024)} KB gzip in ${sizes.length} files`);
  assert.ok(sizes.length > 3);
  assert.ok(sum < 300 * 1024, `${sum} bytes`);
});

test('once loaded, the page needs no server, and is isolated, which threads need', async (t) => {
  const page = await site.open({ serviceWorkers: 'allow' });
  const first = await page.evaluate(() => performance.getEntriesByType('paint').at(-1)?.startTime);
  t.diagnostic(`first contentful paint after ${Math.round(first)} ms`);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
  // The build of WebAssembly that this browser runs is kept, the other is not.
  const kept = await page.evaluate(async () => {
    const caches = globalThis.caches;
    const cache = await caches.open((await caches.keys())[0]);
    return (await cache.keys()).map(({ url }) => url.split('/').at(-1));
  });
  assert.ok(
    kept.some((name) => /^sardonyx-relaxed-threads.*wasm$/.test(name)),
    kept.join(),
  );
  assert.ok(!kept.some((name) => /^sardonyx-simd/.test(name)), kept.join());
  site.server.close();
  const asked = site.server.asked.length;
  await page.reload();
  await page.waitForSelector('#drop');
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  await choose(page, file('good.onnx', goodModel()));
  await readyToRun(page);
  await run(page);
  await tab(page, 'model');
  assert.match(await page.textContent('#about'), /relaxed(-threads, \d|, 1) thread/);
  await tab(page, 'graph');
  await page.waitForFunction(() => document.querySelector('.graph-canvas canvas')?.dataset.scale);
  await page.click('#close');
  await page.click('#sample-edges');
  await readyToRun(page);
  await run(page);
  assert.equal(site.server.asked.length, asked);
  assert.deepEqual(page.problems, []);
});

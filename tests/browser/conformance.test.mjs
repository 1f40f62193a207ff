// The ONNX backend suite in a page of Chromium: the same cases as in Node, compared by the same code in the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fetchSuite } from '../../scripts/fetch-suite.mjs';
import { readExpectations, readUndecided, surprises } from '../conformance/expectations.mjs';
import { pack } from '../conformance/pack.mjs';
import { listCases, readCase } from '../conformance/suite.mjs';
import { launch, serve, watch } from './browser.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const kBatch = 150; // cases to a page, which is then made anew
const kLight = /^light\//; // whole networks: one to a page
const kApp = `
import * as api from '/dist/index.js';
import { runCase } from '/conformance/case.mjs';
import { unpack } from '/conformance/pack.mjs';
globalThis.runBatch = async (path) => {
  const results = [];
  for (const { id, ...found } of unpack(await (await fetch(path)).arrayBuffer())) {
    results.push({ id, ...(await runCase(found, api)) });
  }
  return results;
};
globalThis.ready = true;
`;

const { folder, version } = fetchSuite({ log: (line) => console.error(line) });
const undecided = readUndecided();

function readBatch(ids) {
  return ids.map((id) => {
    const found = readCase(folder, id);
    return { id, ...found, tolerance: undecided.has(id) ? { typesOnly: true } : found.tolerance };
  });
}

function batchesOf(ids) {
  const nodes = ids.filter((id) => !kLight.test(id));
  const batches = [];
  for (let at = 0; at < nodes.length; at += kBatch) batches.push(nodes.slice(at, at + kBatch));
  return [...batches, ...ids.filter((id) => kLight.test(id)).map((id) => [id])];
}

test(`ONNX suite ${version} in Chromium`, async (t) => {
  const ids = listCases(folder);
  const batches = batchesOf(ids);
  const places = Object.fromEntries(
    batches.map((batch, i) => {
      // Packed when it is asked for, so that one batch at a time is in memory.
      const place = { type: 'application/octet-stream', text: '' };
      Object.defineProperty(place, 'text', { get: () => pack(readBatch(batch)) });
      return [`/batch${i}`, place];
    }),
  );
  const server = await serve({
    '/': {
      text: '<!doctype html><title>suite</title><link rel="icon" href="data:,"><script type="module" src="/app.js"></script>',
    },
    '/app.js': { text: kApp, type: 'text/javascript' },
    '/dist/': here('../../dist'),
    '/conformance/': here('../conformance'),
    ...places,
  });
  const browser = await launch();
  try {
    const results = [];
    for (const i of batches.keys()) {
      const page = await browser.newPage();
      const problems = watch(page);
      await page.goto(server.origin);
      await page.waitForFunction(() => globalThis.ready);
      results.push(...(await page.evaluate((path) => runBatch(path), `/batch${i}`)));
      assert.deepEqual(problems, []);
      await page.close();
    }
    const passed = results.filter((r) => !r.problem).length;
    t.diagnostic(`${passed} of ${results.length} pass in Chromium`);
    const expected = [...readExpectations(version)].filter(([id]) => ids.includes(id));
    assert.equal(surprises(results, new Map(expected)).join('\n'), '');
    assert.equal(results.length, ids.length);
    assert.ok(results.length > 1000, 'the suite is all there');
  } finally {
    await browser.close();
    server.close();
  }
});

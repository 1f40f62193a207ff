// The benchmark from end to end with a tiny model, without looking at its times: what it records is whole, both runtimes
// compute the same, the build is the one that was asked for, the report shows it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bench } from '../../bench/bench.mjs';
import { chromiumHost } from '../../bench/hosts.mjs';
import { givenModel } from '../../bench/models.mjs';
import { optionsOf } from '../../bench/options.mjs';
import { peakLoop } from '../../bench/peak.mjs';
import { reportPage } from '../../bench/report.mjs';
import { problemsOf } from '../../bench/schema.mjs';
import { filesToRun } from '../../bench/sizes.mjs';
import { configurations } from '../../bench/summary.mjs';
import { tables } from '../../bench/tables.mjs';
import { watchWasmMemories } from '../../bench/wasm_memory.mjs';
import { launch, serve, watch } from '../browser/browser.mjs';
import { goodModel } from '../models/tiny_model.mjs';

const heavy = process.env.SARDONYX_TEST_ALL === '1';
let folder;
let file;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sardonyx-bench-'));
  file = join(folder, 'tiny.onnx');
  writeFileSync(file, goodModel());
});
after(() => rmSync(folder, { recursive: true }));

const common = ['--pairs', '2', '--part', 'runs'];

async function measured(...args) {
  const saved = [];
  const results = await bench(optionsOf([...common, '--model', file, ...args]), (r) => saved.push(r.runs.length));
  const copy = JSON.parse(JSON.stringify(results));
  assert.deepEqual(copy.failures, []);
  assert.deepEqual(problemsOf(copy), []);
  assert.deepEqual(
    saved,
    copy.runs.map((_, i) => i + 1),
  );
  for (const run of copy.runs) {
    assert.equal(run.model, 'tiny');
    for (const { against, difference } of run.ratios) assert.ok(difference < 1e-6, `${against}: ${difference}`);
    for (const entry of run.entries) {
      // In a page, models that are too small for threads have one.
      const asked = /one thread in the page, of 2/.test(entry.why) ? 1 : entry.asked.threads;
      assert.equal(entry.threads, asked, `${entry.label}: ${entry.why}`);
      if (!/web|Sardonyx/.test(entry.label)) continue;
      assert.ok(entry.heapAfterLoad >= 65_536 && entry.heapPeak >= entry.heapAfterLoad);
    }
  }
  return copy;
}

const variantsOf = ({ runs }) => runs.map(({ entries }) => entries[0].variant);

test('Node.js, both variants and thread counts', async () => {
  const results = await measured('--env', 'node', '--no-peers');
  assert.deepEqual(variantsOf(results), ['simd', 'simd-threads', 'relaxed', 'relaxed-threads']);
  assert.equal(results.engines.node.version, process.versions.node);
  const [single, double] = results.runs;
  assert.deepEqual(
    single.entries.map(({ label }) => label),
    ['Sardonyx', 'onnxruntime-web'],
  );
  assert.deepEqual(
    double.entries.map(({ threads }) => threads),
    [2, 2, 1],
  );
  assert.equal(configurations(results).length, 4);
  const text = tables(results).join('\n');
  assert.match(text, /node, relaxed, 2 threads/);
  assert.match(text, /geometric mean/);
});

test('Chromium, and the report of it', async () => {
  const results = await measured('--env', 'chromium', '--variant', 'relaxed');
  assert.deepEqual(variantsOf(results), ['relaxed', 'relaxed']);
  const server = await serve({ '/': { text: await reportPage(results) } });
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const problems = watch(page);
    await page.goto(server.origin);
    await page.waitForFunction(() => document.querySelectorAll('canvas').length > 3);
    assert.deepEqual(await page.locator('h2').allTextContents(), [
      'Overview',
      'By model',
      'chromium, relaxed, 1 thread',
      'chromium, relaxed, 2 threads',
      'Where the time goes',
      'Memory and loading',
    ]);
    assert.match(await page.locator('table').nth(2).textContent(), /tiny 2x3/);
    const label = await page.locator('canvas').first().getAttribute('aria-label');
    assert.match(label, /Ratio to onnxruntime-web/);
    const wrong = { name: 'wrong.json', mimeType: 'application/json', buffer: Buffer.from('{"format": 99}') };
    await page.locator('#file').setInputFiles(wrong);
    await page.waitForFunction(() => /wrong\.json is no result/.test(document.getElementById('warnings').textContent));
    assert.deepEqual(problems, []);
  } finally {
    await browser.close();
    server.close();
  }
});

test('what counts as a download is what a page asks for', async () => {
  const host = await chromiumHost();
  try {
    for (const [runtime, name] of [
      ['sardonyx', 'Sardonyx, relaxed'],
      ['onnxruntime-web', 'onnxruntime-web, wasm'],
    ]) {
      host.asked.length = 0;
      const page = await host.start();
      const feeds = [{ name: 'x', dims: [2, 3], kind: 'u11' }];
      await page.call('start', { runtime, variant: 'relaxed', threads: 1, model: host.model(file), feeds });
      const asked = host.asked.filter((path) => /^\/(dist|node_modules)\//.test(path)).map((path) => path.slice(1));
      const { files } = filesToRun().find((choice) => choice.name === name);
      assert.deepEqual([...new Set(asked)].sort(), [...files].sort());
      await page.end();
    }
  } finally {
    await host.close();
  }
});

test('a contestant that fails is a failure of its comparison, not of the benchmark', async () => {
  const broken = join(folder, 'broken.onnx');
  writeFileSync(broken, goodModel().slice(0, 40));
  const model = givenModel(broken);
  assert.equal(model.name, 'broken');
  const results = await bench(
    optionsOf([...common, '--env', 'node', '--threads', '1', '--variant', 'simd', '--model', broken]),
  );
  assert.equal(results.runs.length, 0);
  assert.equal(results.failures.length, 1);
  assert.match(results.failures[0].what, /node, simd, 1 thread: broken/);
  assert.throws(() => givenModel(join(folder, 'none.onnx')), /there is no/);
});

test('a watched memory stays one for those who look for it', async () => {
  const bytes = watchWasmMemories();
  const memory = new WebAssembly.Memory({ initial: 2 });
  assert.ok(memory instanceof WebAssembly.Memory);
  assert.equal(bytes(), 2 * 65_536);
  // (memory (export "m") 3)
  const code = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 0, 3, 7, 5, 1, 1, 0x6d, 2, 0);
  const { instance } = await WebAssembly.instantiate(code);
  assert.ok(instance instanceof WebAssembly.Instance);
  assert.ok(instance.exports.m instanceof WebAssembly.Memory);
  memory.grow(1);
  assert.equal(bytes(), 6 * 65_536);
});

test('the loop that measures the peak is valid and runs', async () => {
  const peak = await peakLoop(false);
  assert.ok(peak(1000) > 0);
});

test('a result that lacks something is found out', () => {
  const spread = { median: 1, least: 1, most: 1, lower: 1, upper: 1 };
  const results = {
    format: 1,
    time: '2026-01-01',
    machine: { cores: 2 },
    options: { pairs: 1 },
    engines: {},
    runs: [],
    cold: [],
    sizes: [],
    failures: [],
  };
  assert.deepEqual(problemsOf(results), []);
  const cold = { env: 'node', model: 'm', create: { ratio: spread }, ready: { ours: spread }, firstRun: {} };
  assert.deepEqual(problemsOf({ ...results, cold: [cold] }), ['cold[0].firstRun.theirs is undefined']);
  const backwards = { ...cold, firstRun: { theirs: { ...spread, lower: 2 } } };
  assert.equal(problemsOf({ ...results, cold: [backwards] }).length, 1);
  assert.deepEqual(problemsOf({ ...results, runs: undefined }).slice(0, 1), ['runs is undefined']);
});

test('a newer Node.js, and the peers', { skip: !heavy && 'heavy: SARDONYX_TEST_ALL=1 runs it' }, async () => {
  const results = await measured('--env', 'node,node-new', '--threads', '1', '--variant', 'simd');
  assert.deepEqual(
    results.runs[0].entries.map(({ label }) => label),
    ['Sardonyx', 'onnxruntime-web', 'onnxruntime-node'],
  );
  assert.ok(Number.parseInt(results.engines['node-new'].version, 10) > Number.parseInt(process.versions.node, 10));
});

// simplify on the zoo and on PyTorch's exports: a valid model, the same outputs on the same inputs, and at most as many nodes
// as onnxsim leaves (reference/onnxsim.json, which tests/tools/onnxsim_counts.py makes). SARDONYX_TEST_ALL=1 takes all.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../scripts/fetch-common.mjs';
import { fetchZoo, zooNames } from '../../scripts/fetch-zoo.mjs';
import { compareWithDigest } from './digest.mjs';
import { inputOf } from './exports.mjs';
import { feedsOf, kZoo } from './feeds.mjs';
import { InferenceSession, Tensor } from './package.mjs';

const { check, compareResults, simplify } = await import('../../dist/tools.js');

const heavy = process.env.SARDONYX_TEST_ALL === '1';
const committed = fileURLToPath(new URL('reference/exports', import.meta.url));
const theirs = JSON.parse(readFileSync(new URL('reference/onnxsim.json', import.meta.url), 'utf8'));
// One of each exporter, without --all.
const kSome = /\.(tracing17|dynamo18)\.onnx$/;
const sum = (counts) => Object.values(counts).reduce((a, b) => a + b, 0);

async function run(model, feeds) {
  const session = await InferenceSession.create(model, { graphOptimizationLevel: 'disabled' });
  try {
    return await session.run(typeof feeds === 'function' ? feeds(session.inputNames) : feeds);
  } finally {
    await session.release();
  }
}

// Where rounding is amplified: onnxruntime's own optimisations change this output by 8e-5. What simplify does without
// merging constants into weights has to be within 1e-5 all the same, and the whole as near to onnxruntime's digest as the
// model itself is asked to be.
const kSharp = 'text320';

/** Holds a model and what simplify makes of it against each other, on these runs: [feeds, the digests instead]. */
async function hold(t, name, path, runs) {
  const { model, before, after } = await simplify(path);
  const wrong = (await check(path)).findings.filter(({ severity }) => severity === 'error');
  const findings = (await check(model)).findings.filter(({ severity }) => severity === 'error');
  // Exporters have written models that are not valid; what is wrong in them stays, and no more.
  assert.deepEqual(new Set(findings.map(({ code }) => code)), new Set(wrong.map(({ code }) => code)));
  assert.ok(findings.length <= wrong.length, JSON.stringify(findings));
  for (const [feeds, digests] of runs) {
    const other = digests ? (await simplify(path, { skip: ['merge'] })).model : model;
    const results = await Promise.all([path, other].map((each) => run(each, feeds)));
    const off = compareResults(...results, { rtol: 1e-5, atol: 1e-5 }).filter(({ same }) => !same);
    assert.deepEqual(off, []);
    const merged = digests ? await run(model, feeds) : {};
    for (const [output, digest] of Object.entries(digests ?? {}))
      assert.equal(compareWithDigest(merged[output], digest).problem, '');
  }
  const nodes = sum(after);
  t.diagnostic(`${sum(before)} nodes, ${nodes} after simplify, ${theirs[name] ?? '?'} after onnxsim`);
  assert.ok(nodes <= sum(before));
  if (theirs[name] !== undefined) assert.ok(nodes <= theirs[name], `${nodes} nodes, ${theirs[name]} by onnxsim`);
}

const zoo = fetchZoo({ names: zooNames({ heavy }), log: (line) => console.error(line) });
for (const [file, cases] of Object.entries(kZoo)) {
  const skip = cases[0].heavy && !heavy && 'heavy: SARDONYX_TEST_ALL=1 runs it';
  test(file, { skip }, async (t) => {
    const digests = JSON.parse(
      readFileSync(new URL(`reference/${file.replace('.onnx', '.json')}`, import.meta.url)),
    ).cases;
    const runs = cases.map((c) => [feedsOf(c, Tensor), c.name === kSharp ? digests[c.name] : null]);
    await hold(t, file, join(zoo, file), runs);
  });
}

for (const file of readdirSync(committed).filter((name) => name.endsWith('.json'))) {
  const name = file.slice(0, -'.json'.length);
  const { small, files, fixed, runs } = JSON.parse(readFileSync(join(committed, file), 'utf8'));
  const folder = small ? committed : join(cacheFolder(), 'exports');
  for (const label of Object.keys(files)) {
    const model = `${name}.${label}.onnx`;
    if (!heavy && !(small && kSome.test(model))) continue;
    const path = join(folder, model);
    test(model, { skip: !existsSync(path) && 'export.py has not put it into the cache' }, async (t) => {
      const isFixed = (fixed ?? []).some((exporter) => label.startsWith(exporter));
      const feeds = (isFixed ? runs.slice(0, 1) : runs).map(({ inputs }) => (names) => {
        const number = (input) => Number(/^in(\d+)$/.exec(input)?.[1]);
        return Object.fromEntries(names.map((input) => [input, inputOf(inputs[number(input)], number(input), Tensor)]));
      });
      await hold(
        t,
        model,
        path,
        feeds.map((each) => [each, null]),
      );
    });
  }
}

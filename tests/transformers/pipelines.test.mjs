// Transformers.js, unmodified, on Sardonyx: its pipelines give what they give on onnxruntime.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cacheFolder } from '../../scripts/fetch-common.mjs';
import { appOnSardonyx, realModels, runCases, unpackModels } from './app.mjs';
import { kCommitted, kReal } from './cases.mjs';
import { differenceOf, distance, kTolerance } from './compare.mjs';

const models = mkdtempSync(join(tmpdir(), 'sardonyx-transformers-'));
const real = process.env.SARDONYX_TEST_ALL ? realModels(cacheFolder()) : null;
let app;

before(() => {
  unpackModels(models);
  app = appOnSardonyx();
});
after(() => {
  app?.remove();
  rmSync(models, { recursive: true });
});

// A quantised model may be as far from onnxruntime's as that is from its own float results: activations are rounded to
// 8 bits, and the last bit of a sum decides which way.
function toleranceOf([task, model, dtype], expected) {
  const float = expected[[task, model, 'fp32']];
  return dtype === 'fp32' ? kTolerance : Math.max(kTolerance, distance(expected[[task, model, dtype]], float));
}

function check(folder, cases, reference) {
  const expected = JSON.parse(readFileSync(reference, 'utf8'));
  const results = runCases(app, folder, cases);
  for (const [i, [task, , dtype]] of cases.entries()) {
    if (task === 'similarity')
      assert.ok(results[i][0] > 0.5 && results[i][1] < 0.2, `${dtype}: alike by ${results[i]}`);
  }
  const problems = cases.map((name, i) => {
    const problem = expected[name]
      ? differenceOf(results[i], expected[name], toleranceOf(name, expected))
      : 'has no reference';
    return problem && `${name.join(' ')}: ${problem}`;
  });
  assert.equal(problems.filter(Boolean).join('\n'), '');
}

test('tiny models, all tasks and types', () => {
  check(models, kCommitted, new URL('models/reference.json', import.meta.url));
});

const skip = real ? false : 'npm run test:all, with models made by hand (make/make_models.py --real)';
test('models of real size', { skip }, () => check(real, kReal, join(real, 'reference.json')));

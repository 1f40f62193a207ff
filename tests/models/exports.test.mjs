// PyTorch's exports against PyTorch's outputs: the small ones that are committed, and with SARDONYX_TEST_ALL=1 those that
// export/export.py left in the cache.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../scripts/fetch-common.mjs';
import { compareOutput, inputOf } from './exports.mjs';
import { InferenceSession, Tensor } from './package.mjs';

const heavy = process.env.SARDONYX_TEST_ALL === '1';
const committed = fileURLToPath(new URL('reference/exports', import.meta.url));
const cached = join(cacheFolder(), 'exports');
const match = new RegExp(process.env.SARDONYX_EXPORTS ?? '');

/** Runs all runs of a reference on one file. */
async function check(path, runs) {
  const session = await InferenceSession.create(path);
  try {
    for (const [i, { inputs, outputs }] of runs.entries()) {
      // Exporters drop inputs that nothing reads and number the others as the model has them.
      const feeds = session.inputNames.map((name) => {
        const index = Number(/^in(\d+)$/.exec(name)?.[1]);
        return [name, inputOf(inputs[index], index, Tensor)];
      });
      const results = await session.run(Object.fromEntries(feeds));
      const tensors = session.outputNames.flatMap((name) => results[name]);
      assert.equal(tensors.length, outputs.length, 'number of outputs');
      for (const [k, expected] of outputs.entries()) {
        assert.equal(compareOutput(tensors[k], expected), '', `run ${i}, output ${k}`);
      }
    }
  } finally {
    await session.release();
  }
}

const references = readdirSync(committed).filter((name) => name.endsWith('.json'));
for (const file of references) {
  const name = file.slice(0, -'.json'.length);
  const { small, fixed, files, runs } = JSON.parse(readFileSync(join(committed, file), 'utf8'));
  const isFixed = (label) => (fixed ?? []).some((exporter) => label.startsWith(exporter));
  const skip = !small && !heavy && 'heavy: SARDONYX_TEST_ALL=1 runs it';
  test(name, { skip }, async (t) => {
    for (const label of Object.keys(files)) {
      const path = join(small ? committed : cached, `${name}.${label}.onnx`);
      const absent = !small && !existsSync(path) && 'export.py has not put it into the cache';
      const skipped = match.test(`${name}.${label}`) ? absent : 'SARDONYX_EXPORTS does not name it';
      await t.test(label, { skip: skipped }, () => check(path, isFixed(label) ? runs.slice(0, 1) : runs));
    }
  });
}

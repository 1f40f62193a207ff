// What a decoder of real size, exported and quantised as people do it, takes of the heap.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { InferenceSession } from '../../dist/index.js';
import { cacheFolder } from '../../scripts/fetch-common.mjs';
import { realModels } from './app.mjs';

const real = process.env.SARDONYX_TEST_ALL ? realModels(cacheFolder()) : null;
const skip = real ? false : 'npm run test:all, with models made by hand (make/make_models.py --real)';

for (const name of ['llama', 'llama-built']) {
  test(`${name} in 4 bits takes at most 1.2 times its file when it is loaded`, { skip }, async () => {
    const bytes = readFileSync(join(real, name, 'onnx', 'model_q4.onnx'));
    const size = bytes.length;
    const session = await InferenceSession.create(bytes);
    const { heap } = session.memory();
    await session.release();
    assert.ok(heap <= 1.2 * size, `the heap has ${heap} bytes, the file ${size}`);
  });
}

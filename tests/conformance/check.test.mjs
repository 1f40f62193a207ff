// check says nothing of the models of the ONNX suite, which are all valid.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fetchSuite } from '../../scripts/fetch-suite.mjs';
import { listCases } from './suite.mjs';

const { check } = await import('../../dist/tools.js');
const { folder, version } = fetchSuite({ log: (line) => console.error(line) });

test(`check on ONNX suite ${version}`, async () => {
  const found = [];
  const ids = listCases(folder);
  assert.ok(ids.length > 1000, 'the suite is all there');
  for (const id of ids) {
    const { findings } = await check(
      readFileSync(join(folder, id.startsWith('light/') ? `${id}.onnx` : `${id}/model.onnx`)),
    );
    for (const { path, message } of findings) found.push(`${id}: ${path}: ${message}`);
  }
  assert.deepEqual(found, []);
});

// A program written for onnxruntime-web prints the same with this package in its import.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { externalModel, identityModel, tensorType, twoByTwo } from './make_model.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = readFileSync(new URL('./dropin_program.mjs', import.meta.url), 'utf8');
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sardonyx-dropin-'));
  writeFileSync(join(folder, 'sums.onnx'), twoByTwo());
  // Its own tensor types have a version of the standard that onnxruntime-web 1.30 reads.
  for (const type of ['int64', 'string', 'bool', 'float16', 'uint8', 'float64']) {
    writeFileSync(join(folder, `${type}.onnx`), identityModel(tensorType(type, ['n'])));
  }
  const { model, weights } = externalModel();
  writeFileSync(join(folder, 'weights.bin'), weights);
  writeFileSync(join(folder, 'external.onnx'), model);
});
after(() => rmSync(folder, { recursive: true }));

function printed(module) {
  // Below the root, so that it finds node_modules; in a folder that is ignored, should the run be cut off.
  const program = join(root, 'build', `dropin-${process.pid}.mjs`);
  assert.equal(source.split("'onnxruntime-web'").length, 2);
  writeFileSync(program, source.replace("'onnxruntime-web'", JSON.stringify(module)));
  try {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 24 };
    return execFileSync(process.execPath, [program, folder], options).split('\n');
  } finally {
    rmSync(program);
  }
}

test('the same program prints the same', () => {
  const theirs = printed('onnxruntime-web');
  const ours = printed(new URL('../../dist/index.js', import.meta.url).href);
  assert.ok(theirs.length > 70, theirs.join('\n'));
  assert.deepEqual(ours, theirs);
});

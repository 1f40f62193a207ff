// examples/batch: a folder of images through a pool of threads gives what single runs give, and names what is no image.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fetchZoo } from '../../scripts/fetch-zoo.mjs';
import { installApp } from './environments.mjs';

const kExample = fileURLToPath(new URL('../../examples/batch', import.meta.url));
const kModel = 'ch_ppocr_mobile_v2.0_cls_infer.onnx'; // is a line of text upright (class 0) or upside down?
const kImages = 24;
let app;

before(async () => {
  const { dependencies } = JSON.parse(readFileSync(join(kExample, 'package.json'), 'utf8'));
  const others = Object.entries(dependencies).filter(([name]) => name !== 'sardonyx');
  app = installApp(others.map(([name, version]) => `${name}@${version}`));
  cpSync(kExample, join(app.folder, 'batch'), { recursive: true });
  const sharp = createRequire(join(app.folder, 'x.js'))('sharp');
  mkdirSync(join(app.folder, 'images'));
  for (let i = 0; i < kImages; i++) {
    const background = { r: (i * 37) % 256, g: (i * 91) % 256, b: 255 - i };
    const image = sharp({ create: { width: 40 + i, height: 30, channels: 3, background } });
    await image.toFile(join(app.folder, 'images', `${String(i).padStart(2, '0')}.png`));
  }
  writeFileSync(join(app.folder, 'images', 'broken.png'), 'no image');
});
after(() => app?.remove());

/** Runs the example: its results, and what it says on standard error. */
async function batch(...more) {
  const model = join(fetchZoo({ names: [kModel] }), kModel);
  const args = ['batch/batch.mjs', model, 'images', '--size', '48x192', ...more];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: app.folder });
  return { results: stdout.trim().split('\n').map(JSON.parse), said: stderr };
}

test('as many results as images, the same with one thread and with two; throughput against one session', async () => {
  const one = await batch('--threads', '1');
  const two = await batch('--threads', '2', '--compare');
  assert.deepEqual(two.results, one.results);
  const count = kImages + 1;
  assert.match(one.said, new RegExp(`${count} images, 1 threads: \\d+\\.\\d images/s`));
  assert.match(two.said, new RegExp(`${count} images, 2 threads: \\d+\\.\\d images/s`));
  assert.match(
    two.said,
    /one session: \d+\.\d images\/s; 2 threads: \d+\.\d\d times as many\nthe results are the same/,
  );
  const broken = one.results.pop();
  assert.match(`${broken.name}: ${broken.error}`, /^broken\.png: .*unsupported image format/);
  assert.equal(one.results.length, kImages);
  for (const result of one.results) assert.ok(result.score > 0.5 && result.score <= 1, JSON.stringify(result));
});

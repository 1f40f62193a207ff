// examples/batch: a folder of images through a pool of threads gives what single runs give, and names what is no image.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
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

function batch(threads) {
  const model = join(fetchZoo({ names: [kModel] }), kModel);
  const args = ['batch/batch.mjs', model, 'images', '--size', '48x192', '--threads', String(threads)];
  const output = execFileSync(process.execPath, args, { cwd: app.folder, encoding: 'utf8', stdio: 'pipe' });
  return output.trim().split('\n').map(JSON.parse);
}

test('as many results as images, the same with one thread and with two', () => {
  const [one, two] = [batch(1), batch(2)];
  assert.deepEqual(two, one);
  const broken = one.pop();
  assert.match(`${broken.name}: ${broken.error}`, /^broken\.png: .*unsupported image format/);
  assert.equal(one.length, kImages);
  for (const result of one) assert.ok(result.score > 0.5 && result.score <= 1, JSON.stringify(result));
});

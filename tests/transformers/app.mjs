// An app with Transformers.js from npm, unmodified, on Sardonyx or on the runtime that it brings.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { installApp } from '../environments/environments.mjs';

export const kTransformers = '@huggingface/transformers@4.3.2';
const kCommon = 'onnxruntime-common@1.30.0'; // what both runtimes share; Transformers.js imports it
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * The app on Sardonyx, as docs/EMBEDDING.md says.
 * @returns {{folder: string, remove: () => void}}
 */
export function appOnSardonyx(packages = []) {
  const overrides = { 'onnxruntime-node': '$sardonyx', 'onnxruntime-web': '$sardonyx' };
  const app = installApp([kTransformers, kCommon, ...packages], { overrides });
  copyFileSync(here('client.mjs'), join(app.folder, 'client.mjs'));
  return app;
}

/** The same app on onnxruntime-node: large, for making references by hand. */
export function appOnOnnxruntime() {
  const folder = mkdtempSync(join(tmpdir(), 'transformers-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', type: 'module', private: true }));
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', kTransformers];
  execFileSync('npm', install, { cwd: folder, stdio: 'pipe' });
  copyFileSync(here('client.mjs'), join(folder, 'client.mjs'));
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** The results of the cases, by the app's own process. */
export function runCases({ folder }, models, cases) {
  const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 };
  return JSON.parse(execFileSync(process.execPath, ['client.mjs', `${models}/`, JSON.stringify(cases)], options));
}

/** Copies the committed models to `to`, their .gz unpacked. */
export function unpackModels(to) {
  cpSync(here('models'), to, { recursive: true });
  for (const name of readdirSync(to, { recursive: true })) {
    if (!name.endsWith('.onnx.gz')) continue;
    const file = join(to, name);
    writeFileSync(file.slice(0, -3), gunzipSync(readFileSync(file)));
    rmSync(file);
  }
}

/** Where make/make_models.py --real was told to write, by hand; null where it was not. */
export function realModels(cache) {
  const folder = join(cache, 'transformers');
  return existsSync(join(folder, 'reference.json')) ? folder : null;
}

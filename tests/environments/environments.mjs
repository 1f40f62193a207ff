// What the tests of environments share: the packed package, installed into an app of its own beside runtimes from npm.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goodModel } from '../models/tiny_model.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What goodModel() makes of ones. */
export const kAnswer = '2,3,4,0,0,0';

/**
 * A folder with good.onnx and node_modules: the package, and `packages` as npm names them. more: other fields of its
 * package.json.
 * @returns {{folder: string, remove: () => void}}
 */
export function installApp(packages = [], more = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sardonyx-environments-'));
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }));
  const dependencies = { sardonyx: `file:${filename}` };
  const app = { name: 'app', type: 'module', private: true, dependencies, ...more };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(app));
  const install = ['install', '--no-audit', '--no-fund', ...packages];
  execFileSync('npm', install, { cwd: folder, stdio: 'pipe' });
  writeFileSync(join(folder, 'good.onnx'), goodModel());
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

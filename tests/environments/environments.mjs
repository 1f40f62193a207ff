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
 * A folder with good.onnx and node_modules: the package, and `packages` as npm names them.
 * @returns {{folder: string, remove: () => void}}
 */
export function installApp(packages = []) {
  const folder = mkdtempSync(join(tmpdir(), 'sardonyx-environments-'));
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', type: 'module', private: true }));
  const install = ['install', '--no-audit', '--no-fund', join(folder, filename), ...packages];
  execFileSync('npm', install, { cwd: folder, stdio: 'pipe' });
  writeFileSync(join(folder, 'good.onnx'), goodModel());
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

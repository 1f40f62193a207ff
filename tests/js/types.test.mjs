// The package's types compile in every way of resolving modules that has `exports`, and in the old one that has not.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sardonyx-types-'));
  const installed = join(folder, 'node_modules', 'sardonyx');
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(join(root, 'tests', 'types', 'usage.ts'), join(folder, 'usage.ts'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
});
after(() => rmSync(folder, { recursive: true }));

for (const [module, moduleResolution, lib] of [
  ['ESNext', 'Bundler', 'ES2022,DOM'],
  ['NodeNext', 'NodeNext', 'ES2022,DOM,DOM.Iterable,ESNext.Disposable'],
  ['ESNext', 'Node10', 'ES2022,DOM'],
]) {
  test(`moduleResolution ${moduleResolution}, lib ${lib}`, () => {
    const compilerOptions = {
      target: 'ES2022',
      lib: lib.split(','),
      module,
      moduleResolution,
      types: [],
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['usage.ts'] }));
    try {
      execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], {
        cwd: folder,
        stdio: 'pipe',
      });
    } catch (error) {
      assert.fail(`${error.stdout}`);
    }
  });
}

// The package's types compile in every way of resolving modules that has `exports`, and in the old one that has not.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { usesOf } from '../types/signatures.mjs';

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

function compile(files, options) {
  const compilerOptions = {
    target: 'ES2022',
    types: [],
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], { cwd: folder, stdio: 'pipe' });
  } catch (error) {
    assert.fail(`${error.stdout}`);
  }
}

for (const [module, moduleResolution, lib] of [
  ['ESNext', 'Bundler', 'ES2022,DOM'],
  ['NodeNext', 'NodeNext', 'ES2022,DOM,DOM.Iterable,ESNext.Disposable'],
  ['ESNext', 'Node10', 'ES2022,DOM'],
]) {
  test(`moduleResolution ${moduleResolution}, lib ${lib}`, () => {
    compile(['usage.ts'], { lib: lib.split(','), module, moduleResolution, skipLibCheck: false });
  });
}

// In a program for Node.js that has no DOM: with Node's types, and with none at all.
const kNodeProgram = `
import { readFile } from 'node:fs/promises';
import ort, { env, InferenceSession, OnnxError, Tensor } from 'sardonyx';
import { check, simplify } from 'sardonyx/tools';

export async function answer(path: string): Promise<number> {
  env.wasm.numThreads = 2;
  const session: ort.InferenceSession = await InferenceSession.create(await readFile(path), { signal: AbortSignal.timeout(1000) });
  await using other = await InferenceSession.create(new URL('file:///' + path));
  const { y } = await session.run({ x: new Tensor('float32', new Float32Array(6), [2, 3]) });
  await check(new Blob([]));
  await simplify(new Response('').body!);
  // @ts-expect-error: a number is no model
  await InferenceSession.create(1);
  // @ts-expect-error: a number is no signal
  await InferenceSession.create(path, { signal: 1 });
  await Promise.all([session.release(), other.release()]);
  return y!.data[0] as number;
}
`.replace('await using other', 'const other');
for (const skipLibCheck of [false, true]) {
  for (const [module, moduleResolution] of [
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ]) {
    test(`without lib DOM, ${moduleResolution}, skipLibCheck ${skipLibCheck}`, () => {
      writeFileSync(join(folder, 'program.ts'), kNodeProgram);
      const typeRoots = [join(root, 'node_modules/@types')];
      const options = { lib: ['ES2022'], types: ['node'], typeRoots, module, moduleResolution, skipLibCheck };
      compile(['program.ts'], options);
    });
  }
}

const common = join(root, 'node_modules/onnxruntime-common/dist/esm/index.d.ts');
const kDom = {
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  module: 'ESNext',
  moduleResolution: 'Bundler',
  skipLibCheck: true,
};
for (const [name, ort] of [
  ['onnxruntime-web', () => common],
  ['sardonyx', () => join(folder, 'node_modules/sardonyx/dist/index.d.ts')],
]) {
  test(`a program for onnxruntime-web's types compiles with those of ${name}`, () => {
    cpSync(join(root, 'tests', 'types', 'dropin.ts'), join(folder, 'dropin.ts'));
    compile(['dropin.ts'], { ...kDom, paths: { ort: [ort()] } });
  });

  test(`every type, field, function, method and overload of onnxruntime-web compiles with ${name}`, () => {
    const uses = usesOf(common);
    assert.ok(uses.length > 300, `${uses.length} uses`);
    writeFileSync(join(folder, 'uses.ts'), `import * as ort from 'ort';\n\n${uses.join('\n')}\n`);
    compile(['uses.ts'], { ...kDom, exactOptionalPropertyTypes: false, paths: { ort: [ort()] } });
  });
}

test('every name that onnxruntime-web exports is there', async () => {
  const { default: ts } = await import('typescript');
  const ours = join(root, 'dist/index.d.ts');
  const program = ts.createProgram([common, ours], {
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
  });
  const checker = program.getTypeChecker();
  const names = (path) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path))).map((s) => s.name);
  const there = new Set(names(ours));
  const wanted = names(common);
  assert.ok(wanted.length > 40, wanted.join());
  assert.deepEqual(
    wanted.filter((name) => !there.has(name)),
    [],
  );
  const values = await import('../../dist/index.js');
  const theirValues = await import('onnxruntime-common');
  assert.deepEqual(
    Object.keys(theirValues).filter((name) => !(name in values)),
    [],
  );
});

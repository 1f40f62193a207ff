// npm run lint: the checks that need no build: layout, lint, types, layering, sizes.
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { cppFiles } from './lib/sources.mjs';
import { main, StepError, step } from './lib/step.mjs';

const bin = (name) => join(root, 'node_modules/.bin', name);
const script = (name) => [process.execPath, [join(root, 'scripts', name)]];

const checks = [
  ['clang-format', 'clang-format-19', ['--dry-run', '--Werror', ...cppFiles()]],
  ['biome', bin('biome'), ['ci', '--colors=off', '--max-diagnostics=20', '.']],
  ['types', bin('tsc'), ['-p', 'tsconfig.json', '--noEmit']],
  ['types, command line', bin('tsc'), ['-p', 'web/src/cli', '--noEmit']],
  ['types, page', bin('tsc'), ['-p', 'demo']],
  ['layering', ...script('check-layering.mjs')],
  ['sizes', ...script('check-sizes.mjs'), { live: true }],
  ['operators', process.execPath, [join(root, 'scripts/operators.mjs'), '--check']],
];

await main(async () => {
  const failed = [];
  for (const [title, command, args, options] of checks) {
    try {
      await step(title, command, args, { cwd: root, ...options });
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      failed.push(title);
    }
  }
  if (failed.length > 0) throw new StepError(failed.join(', '));
});

// npm run format: lays out C++ with clang-format, JavaScript, TypeScript and JSON with Biome, in place.
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { cppFiles } from './lib/sources.mjs';
import { main, step } from './lib/step.mjs';

await main(async () => {
  const cpp = cppFiles();
  if (cpp.length > 0) await step(`clang-format, ${cpp.length} files`, 'clang-format-19', ['-i', ...cpp], { cwd: root });
  await step('biome', join(root, 'node_modules/.bin/biome'), ['check', '--write', '.'], { cwd: root, live: true });
});

// npm run bench: sets up, builds, and measures side by side with onnxruntime-web: the first session, then the models.
// Arguments go to bench/models.mjs (--pairs, --filter, --all).
import { join } from 'node:path';
import { build } from './build.mjs';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/step.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  await build(await setup());
  for (const [name, ...args] of [['create.mjs'], ['models.mjs', ...process.argv.slice(2)]]) {
    await step(`bench/${name}`, process.execPath, [join(root, 'bench', name), ...args], { cwd: root, live: true });
  }
});

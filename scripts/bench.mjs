// npm run bench: sets up, builds, and measures Sardonyx beside onnxruntime-web: `npm run bench -- --help` lists what can be
// chosen. Results go to bench/results: a JSON, and report.html with plots.
import { join } from 'node:path';
import { kUsage, optionsOf } from '../bench/options.mjs';
import { build } from './build.mjs';
import { root } from './lib/paths.mjs';
import { main, SetupError, say, step } from './lib/step.mjs';
import { setup } from './setup.mjs';

function options(args) {
  try {
    return optionsOf(args);
  } catch (error) {
    throw new SetupError(`${error.message}\n\n${kUsage}`);
  }
}

await main(async () => {
  const args = process.argv.slice(2);
  const { help, envs } = options(args);
  if (help) {
    say(kUsage);
    return;
  }
  await build(await setup({ browser: envs.includes('chromium') }));
  await step('bench/bench.mjs', process.execPath, [join(root, 'bench', 'bench.mjs'), ...args], {
    cwd: root,
    live: true,
  });
});

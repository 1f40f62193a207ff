// npm run demo: builds the package and serves the demo page with Vite; further arguments go to Vite.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from './build.mjs';
import { root } from './lib/paths.mjs';
import { main } from './lib/step.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  await build(await setup());
  const vite = spawn(
    process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), 'demo', ...process.argv.slice(2)],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  process.exitCode = await new Promise((resolve) => vite.on('close', (code) => resolve(code ?? 1)));
});

// npm run demo: builds the package and serves the demo page with Vite. With --build it writes the page's static files
// to demo/dist/ instead. Further arguments go to Vite.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from './build.mjs';
import { root } from './lib/paths.mjs';
import { main } from './lib/step.mjs';
import { setup } from './setup.mjs';

const args = process.argv.slice(2).filter((arg) => arg !== '--build');
const command = process.argv.includes('--build') ? ['build'] : [];

await main(async () => {
  await build(await setup());
  const vite = spawn(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), ...command, 'demo', ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = await new Promise((resolve) => vite.on('close', (code) => resolve(code ?? 1)));
});

// npm run bench:kernels: sets up, builds and runs the kernels' benchmark in Node, plain and relaxed SIMD.
//   npm run bench:kernels -- --new     in a newer Node.js, from npm
//   npm run bench:kernels -- 4-bit     only lines that begin so
import { join } from 'node:path';
import { cmake } from './build.mjs';
import { root } from './lib/paths.mjs';
import { main, say, step } from './lib/step.mjs';
import { setup } from './setup.mjs';

async function engine(newer) {
  if (!newer) return process.execPath;
  const { peerFile } = await import('../bench/peers.mjs');
  return peerFile('node-new', say);
}

await main(async () => {
  const env = await setup();
  const newer = process.argv.includes('--new');
  const prefix = process.argv.slice(2).filter((argument) => argument !== '--new');
  const node = await engine(newer);
  // Node before 22 needs the flag; later versions accept relaxed SIMD without it and do not know the flag.
  const old = !newer && Number.parseInt(process.versions.node, 10) < 22;
  const relaxed = old ? ['--experimental-wasm-relaxed-simd'] : [];
  for (const [target, ...flags] of [['kernel_bench'], ['kernel_bench_relaxed', ...relaxed]]) {
    await cmake('wasm-simd', env, [target]);
    const program = join(root, 'build', 'wasm-simd', 'bench', `${target}.cjs`);
    await step(target, node, [...flags, program, ...prefix], { cwd: root, live: true });
  }
});

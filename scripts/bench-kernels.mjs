// npm run bench:kernels: sets up, builds and runs the kernels' benchmark in Node, plain and relaxed SIMD.
import { join } from 'node:path';
import { cmake } from './build.mjs';
import { root } from './lib/paths.mjs';
import { main, step } from './lib/step.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  const env = await setup();
  // Node before 22 needs the flag; later versions accept relaxed SIMD without it and do not know the flag.
  const relaxed = Number.parseInt(process.versions.node, 10) < 22 ? ['--experimental-wasm-relaxed-simd'] : [];
  for (const [target, ...flags] of [['kernel_bench'], ['kernel_bench_relaxed', ...relaxed]]) {
    await cmake('wasm-simd', env, [target]);
    const program = join(root, 'build', 'wasm-simd', 'bench', `${target}.cjs`);
    await step(target, process.execPath, [...flags, program], { cwd: root, live: true });
  }
});

// The two runtimes that the benchmarks run side by side, each on one thread, and where the results go.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

export const kRuntimes = ['sardonyx', 'onnxruntime-web'];

/** {InferenceSession, Tensor, version} of a runtime by its name; only this loads its code. */
export async function loadRuntime(name) {
  if (name === 'sardonyx') {
    const { InferenceSession, Tensor } = await import('../tests/models/package.mjs');
    return { InferenceSession, Tensor };
  }
  const { env, InferenceSession, Tensor } = await import('onnxruntime-web');
  env.wasm.numThreads = 1;
  env.logLevel = 'error';
  return { InferenceSession, Tensor, version: env.versions.web };
}

/** Writes bench/results/NAME-TIME.json, the results with what they were measured on; returns its path. */
export function saveResults(name, results) {
  const folder = fileURLToPath(new URL('results/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const time = new Date().toISOString();
  const path = `${folder}${name}-${time.replace(/[:.]/g, '-')}.json`;
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, time };
  writeFileSync(path, `${JSON.stringify({ machine, ...results }, null, 2)}\n`);
  return path;
}

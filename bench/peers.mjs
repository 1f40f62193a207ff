// What the benchmark compares with and runs in besides the package's own devDependencies: brought from npm into the cache.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, runTool } from '../scripts/fetch-common.mjs';

const kTfjs = '4.22.0';

/** Name -> the packages that it needs, as npm names them. */
const kPeers = {
  'node-new': [`node-new@npm:node-${process.platform}-${process.arch}@26`],
  'onnxruntime-node': ['onnxruntime-node@1.30.0'],
  'tfjs-wasm': ['core', 'backend-wasm', 'backend-cpu'].map((part) => `@tensorflow/tfjs-${part}@${kTfjs}`),
};

/**
 * Sees to it that a peer is in the cache, and returns the folder whose node_modules holds it. Each has a folder of its
 * own, named by its versions, so that nothing that was brought is ever replaced.
 */
export function fetchPeer(name, log = () => {}) {
  const packages = kPeers[name];
  const version = packages.at(-1).split('@').at(-1);
  const folder = join(cacheFolder(), 'bench', `peer-${name}-${version}`);
  const done = join(folder, 'complete');
  if (existsSync(done)) return folder;
  log(`bringing ${name} from npm, once`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'bench-peer', private: true }));
  // No install scripts: they would bring GPU libraries.
  runTool('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder });
  writeFileSync(done, '');
  return folder;
}

/** Where a contestant finds a peer's code. */
export function peerFile(name, log) {
  const folder = fetchPeer(name, log);
  if (name === 'onnxruntime-node') return join(folder, 'node_modules/onnxruntime-node/dist/index.js');
  if (name === 'node-new') return join(folder, 'node_modules/node-new/bin/node');
  return join(folder, 'package.json');
}

/** {node, v8} of a Node.js program. */
export function nodeVersions(path) {
  const print = 'JSON.stringify(process.versions)';
  const { node, v8 } = JSON.parse(execFileSync(path, ['-p', print], { encoding: 'utf8' }));
  return { node, v8 };
}

// The environments that are measured in, by name: what they are, and hosts for contestants of a variant.
import { chromiumHost, nodeHost } from './hosts.mjs';
import { nodeVersions, peerFile } from './peers.mjs';

// Node.js before 22 takes relaxed SIMD with this flag only; later ones do not know the flag.
function flagsFor(variant, version) {
  return variant === 'relaxed' && Number.parseInt(version, 10) < 22 ? ['--experimental-wasm-relaxed-simd'] : [];
}

function nodeEnvironment(path) {
  const versions = nodeVersions(path);
  return {
    engine: { name: 'Node.js', version: versions.node, v8: versions.v8 },
    host: (variant) => nodeHost({ path, flags: flagsFor(variant, versions.node) }),
    close: async () => {},
  };
}

async function chromium() {
  const host = await chromiumHost();
  return {
    engine: { name: 'Chromium', version: host.version },
    host: () => host,
    close: () => host.close(),
  };
}

/**
 * Starts an environment. `host(variant)` is what bench/hosts.mjs gives, for pages or processes of that variant; both
 * runtimes of a comparison get the same.
 * @returns {Promise<{engine: {name: string, version: string, v8?: string}, host: (variant: string) => object,
 *   close: () => Promise<void>}>}
 */
export async function openEnvironment(name, log = () => {}) {
  if (name === 'chromium') return chromium();
  return nodeEnvironment(name === 'node' ? process.execPath : peerFile('node-new', log));
}

// The JSON of a run of the benchmark: its beginning, and where it goes. What must be in it is in schema.mjs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { root } from '../scripts/lib/paths.mjs';
import { kFormat } from './schema.mjs';

export const kResultsFolder = join(root, 'bench', 'results');

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined; // a copy without its history
  }
}

/**
 * An empty result: where and of what. Filled in later: engines {env: {name, version, v8}}, runs (bench/group.mjs, with env),
 * cold (bench/cold.mjs, with env), sizes (bench/sizes.mjs), failures [{what, error}].
 */
export function newResults(options) {
  return {
    format: kFormat,
    time: new Date().toISOString(),
    commit: git('rev-parse', 'HEAD'),
    changed: git('status', '--porcelain', '--untracked-files=no') !== '',
    machine: { cpu: cpus()[0]?.model, cores: cpus().length, memory: totalmem(), system: `${platform()} ${release()}` },
    options: { ...options, filter: options.filter.source },
    engines: {},
    runs: [],
    cold: [],
    sizes: [],
    failures: [],
  };
}

/** Writes it to bench/results/, under its time; again and again as it grows. Returns the path. */
export function saveResults(results) {
  mkdirSync(kResultsFolder, { recursive: true });
  const path = join(kResultsFolder, `bench-${results.time.replace(/[:.]/g, '-')}.json`);
  writeFileSync(path, `${JSON.stringify(results, null, 1)}\n`);
  return path;
}

/** The path of the newest JSON in bench/results/. @throws where there is none */
export function newestResults() {
  const names = readdirSync(kResultsFolder).filter((name) => /^bench-.*\.json$/.test(name));
  if (!names.length) throw new Error(`no results in ${kResultsFolder}: npm run bench makes some`);
  return join(kResultsFolder, names.sort().at(-1));
}

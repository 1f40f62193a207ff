// What the fetch scripts share: the cache folder, running a tool, putting a file into place in one step.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The folder that holds everything that is fetched: SARDONYX_CACHE, else sardonyx in the user's cache folder. */
export function cacheFolder() {
  const { SARDONYX_CACHE, XDG_CACHE_HOME } = process.env;
  return SARDONYX_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'sardonyx');
}

/** Runs a tool to its end and returns its standard output; an Error with what it wrote where it fails or is missing. */
export function runTool(command, args, options = {}) {
  const r = spawnSync(command, args, { maxBuffer: 1 << 30, ...options });
  if (r.error?.code === 'ENOENT') throw new Error(`${command} is missing`);
  if (r.error) throw r.error;
  if (r.status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${r.stderr}`);
  return r.stdout;
}

export function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Writes beside the file and renames, so that no one ever sees half of it. */
export function putFile(path, bytes) {
  mkdirSync(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, bytes);
  renameSync(part, path);
}

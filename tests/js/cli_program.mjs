// The command line as a program of its own, for its tests.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const kMain = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Runs `sardonyx ...args`: {code, signal, stdout, stderr}, and `json()` for what is on stdout. */
export function sardonyx(args, { cwd, kill } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [kMain, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (data) => {
      stdout += data;
    });
    child.stderr.on('data', (data) => {
      stderr += data;
      if (kill?.test(stderr)) child.kill('SIGINT');
    });
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr, json: () => JSON.parse(stdout) }));
  });
}

/** A folder for one test file, with a way to put files into it. */
export function workFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'sardonyx-cli-'));
  const put = (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  return { folder, put, path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true }) };
}

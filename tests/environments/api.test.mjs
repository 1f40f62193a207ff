// The API reference is made from the doc comments, and links and types in it lead somewhere.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('npm run docs', () => {
  try {
    execFileSync('npm', ['run', 'docs'], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    throw new Error(`${error.stdout}${error.stderr}`);
  }
  const page = readFileSync(join(root, 'build/api/classes/index.InferenceSession.html'), 'utf8');
  for (const name of ['create', 'run', 'profile', 'memory', 'macs', 'release'])
    assert.ok(page.includes(`id="${name}"`), name);
});

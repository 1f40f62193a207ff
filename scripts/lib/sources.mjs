// The clone's source files by kind, as git knows them.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/** C++ files that are tracked or new, and not ignored; paths relative to the clone. */
export function cppFiles() {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '*.cpp', '*.h'];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((name) => name && existsSync(join(root, name)));
}

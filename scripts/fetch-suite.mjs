// Unpacks the ONNX backend test data into the cache: node scripts/fetch-suite.mjs
// It is Debian's package libonnx-testdata: the file that SARDONYX_SUITE_DEB names or that lies in
// ../shared/onnx-testdata (1.20), else trixie's (1.17), brought by apt with a configuration of its own, so that
// nothing is installed and apt's own lists and settings stay as they are.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cacheFolder, runTool } from './fetch-common.mjs';

const kPackage = 'libonnx-testdata';
const kSuite = 'trixie';
const kShared = fileURLToPath(new URL('../../shared/onnx-testdata', import.meta.url));
const kDebName = new RegExp(`^${kPackage}_(.+)_all\\.deb$`);

function debsIn(folder) {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => kDebName.test(name))
        .sort()
    : [];
}

// Downloads the package of kSuite into `folder`; apt checks it against Debian's archive keys.
function download(folder) {
  const apt = join(folder, 'apt');
  runTool('sh', [fileURLToPath(new URL('private-apt.sh', import.meta.url)), apt, 'deb', kSuite]);
  const conf = join(apt, 'apt.conf');
  runTool('apt-get', ['-q', '-c', conf, 'update']);
  runTool('apt-get', ['-q', '-c', conf, 'download', `${kPackage}/${kSuite}`], { cwd: folder });
  return join(folder, debsIn(folder)[0]);
}

function unpack(deb, cache) {
  const version = basename(deb).match(kDebName)?.[1];
  if (!version) throw new Error(`${deb} is not a ${kPackage}_VERSION_all.deb`);
  const folder = join(cache, `onnx-suite-${version}`);
  if (existsSync(folder)) return folder;
  const temp = mkdtempSync(join(cache, '.suite-'));
  try {
    runTool('dpkg-deb', ['-x', deb, join(temp, 'deb')]);
    renameSync(join(temp, 'deb/usr/share', kPackage, 'data'), folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // another process was faster
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
  return folder;
}

/**
 * Sees to it that the suite is unpacked; returns its data folder (node, simple, ..., light) and its version, such as
 * 1.20.0-6. Without a .deb at hand a suite that was unpacked before is taken, and apt is asked only where there is none.
 */
export function fetchSuite({ log = () => {} } = {}) {
  const cache = cacheFolder();
  mkdirSync(cache, { recursive: true });
  const shared = debsIn(kShared).map((name) => join(kShared, name));
  const atHand = process.env.SARDONYX_SUITE_DEB || shared.at(-1);
  let folder = atHand && unpack(atHand, cache);
  if (!folder) {
    const before = readdirSync(cache)
      .filter((name) => name.startsWith('onnx-suite-'))
      .sort();
    folder = before.length && join(cache, before.at(-1));
  }
  if (!folder) {
    log(`no .deb of the ONNX suite at hand: bringing Debian ${kSuite}'s ${kPackage} with apt`);
    const temp = mkdtempSync(join(cache, '.suite-'));
    try {
      folder = unpack(download(temp), cache);
    } finally {
      rmSync(temp, { recursive: true, force: true });
    }
  }
  return { folder, version: basename(folder).replace('onnx-suite-', '') };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const { folder, version } = fetchSuite({ log: (line) => console.error(`fetch-suite: ${line}`) });
    console.log(`the ONNX suite ${version} is in ${folder}`);
  } catch (error) {
    console.error(`fetch-suite: ${error.message}`);
    process.exitCode = 1;
  }
}

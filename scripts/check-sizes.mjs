// Sizes that must not creep: the wasm (raw, gzip, brotli) and its glue, files in git, lengths of source files.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { root } from './lib/paths.mjs';

const WASM_LIMIT = 1_500_000;
const CODECS_LIMIT = 700_000;
const TOOLS_LIMIT = 500_000;
const GLUE_LIMIT = 32_000;
const THREADS_GLUE_LIMIT = 40_000;
const EMBEDDED_LIMIT = (WASM_LIMIT / 2 / 3) * 4; // compressed, in base64
const GIT_FILE_LIMIT = 200_000;
// [files, the most lines they should have]: over it is a warning, a reason to split by idea.
const lineLimits = [
  [/^src\/kernels\/.*\.(cpp|h)$/, 300],
  [/^(src|bindings)\/.*\.(cpp|h)$/, 400],
  [/^web\/src\/.*\.ts$/, 250],
];

const withCommas = (n) => n.toLocaleString('en-US');

/** Raw, gzip -9 and brotli -11 size of some bytes. */
export function sizesOf(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params }).length,
  };
}

function limitOf(name) {
  if (name === 'sardonyx-codecs.wasm') return CODECS_LIMIT;
  if (name === 'sardonyx-tools.wasm') return TOOLS_LIMIT;
  if (name.endsWith('.wasm')) return WASM_LIMIT;
  if (name.includes('-embedded')) return EMBEDDED_LIMIT;
  return name.includes('-threads') ? THREADS_GLUE_LIMIT : GLUE_LIMIT;
}

function builtFiles() {
  const folder = join(root, 'dist', 'wasm');
  const problems = [];
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const { raw, gzip, brotli } = sizesOf(readFileSync(join(folder, name)));
    console.log(
      `${name.padEnd(34)} ${withCommas(raw).padStart(9)} raw ${withCommas(gzip).padStart(9)} gzip ${withCommas(brotli).padStart(9)} brotli`,
    );
    const limit = limitOf(name);
    if (raw > limit) problems.push(`dist/wasm/${name}: ${withCommas(raw)} bytes, the limit is ${withCommas(limit)}`);
  }
  return problems;
}

function filesInGit() {
  const problems = [];
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const name of names) {
    const path = join(root, name);
    if (!existsSync(path)) continue;
    const { size } = statSync(path);
    if (size > GIT_FILE_LIMIT)
      problems.push(`${name}: ${withCommas(size)} bytes in git, the limit is ${withCommas(GIT_FILE_LIMIT)}`);
    const limit = lineLimits.find(([pattern]) => pattern.test(name))?.[1];
    if (!limit) continue;
    const lines = readFileSync(path, 'utf8').split('\n').length - 1;
    if (lines > limit) console.log(`warning: ${name} has ${lines} lines, more than ${limit}`);
  }
  return problems;
}

if (import.meta.filename === process.argv[1]) {
  const problems = [...builtFiles(), ...filesInGit()];
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}

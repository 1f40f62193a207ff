// npm test: sets up, builds, and runs every test; the last line is `N passed, N failed, N skipped`.
//
//   node scripts/test.mjs [--all] [--only NAME,...]
//
// --all adds the heavy tests (the tests see SARDONYX_TEST_ALL=1); --only takes stages by name: cpp threads kernels wasm-kernels
// fuzz js operators conformance models transformers browser bench environments.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build, cmake } from './build.mjs';
import { root } from './lib/paths.mjs';
import { main, SetupError, say, seconds, step } from './lib/step.mjs';
import { setup } from './setup.mjs';

const FUZZ_SECONDS = 60;
const MOST_SEED_BYTES = 4096;
const native = join(root, 'build', 'native-debug', 'tests');
// Leaks are findings too; a sanitizer's report ends the program.
const sanitizerEnv = {
  ASAN_OPTIONS: 'detect_leaks=1:allocator_may_return_null=1',
  UBSAN_OPTIONS: 'print_stacktrace=1',
};

const stages = [
  { name: 'cpp', title: 'C++ unit tests', run: (env) => googleTest(join(native, 'cpp_tests'), env) },
  { name: 'threads', title: 'thread pool, TSan', run: (env) => googleTest(join(native, 'thread_tests'), env) },
  { name: 'kernels', title: 'kernel tests', run: (env) => googleTest(join(native, 'kernel_tests'), env) },
  { name: 'wasm-kernels', title: 'kernel tests, wasm', run: wasmKernels },
  { name: 'fuzz', title: `fuzzing, ${FUZZ_SECONDS} s each`, run: fuzz },
  { name: 'js', title: 'JavaScript tests', run: (env) => nodeTest('js', env) },
  { name: 'operators', title: 'table of operators', run: (env) => nodeTest('operators', env) },
  { name: 'conformance', title: 'ONNX suite', run: (env) => nodeTest('conformance', env) },
  { name: 'models', title: 'real models', run: (env) => nodeTest('models', env) },
  { name: 'transformers', title: 'Transformers.js', run: (env) => nodeTest('transformers', env) },
  { name: 'browser', title: 'Chromium', run: (env) => nodeTest('browser', env) },
  { name: 'bench', title: 'benchmark harness', run: (env) => nodeTest('bench', env) },
  // Other runtimes and browsers, brought by npm: with --all, or when they are named.
  { name: 'environments', title: 'environments', run: (env) => nodeTest('environments', env), heavy: true },
];
const nativeStages = ['cpp', 'threads', 'kernels', 'fuzz'];
// Stages that run the built package; the others build what they need.
const packageStages = ['js', 'operators', 'conformance', 'models', 'transformers', 'browser', 'bench', 'environments'];

/** @returns {Promise<{passed: number, failed: number, skipped: number}>} of one GoogleTest program, maybe Node's */
async function googleTest(program, env, ...runner) {
  const folder = mkdtempSync(join(tmpdir(), 'sardonyx-test-'));
  try {
    const file = join(folder, 'result.json');
    const [command, ...args] = [...runner, program, '--gtest_brief=1', `--gtest_output=json:${file}`];
    const options = { cwd: root, env: { ...env, ...sanitizerEnv }, allowFailure: true };
    const { code, output } = await step(basename(program), command, args, options);
    if (code !== 0) say(output.trimEnd().split('\n').slice(-200).join('\n'));
    return countGoogleTest(file, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The same kernel tests, of the instructions that ship: plain SIMD here, and relaxed SIMD in a newer Node.js, for in
 * Node.js 20 its dots have their operands the wrong way round and are never used.
 */
async function wasmKernels(env) {
  await cmake('wasm-simd', env, ['kernel_tests', 'kernel_tests_relaxed']);
  const program = (name) => join(root, 'build', 'wasm-simd', 'tests', `${name}.cjs`);
  const plain = await googleTest(program('kernel_tests'), env, process.execPath);
  const { peerFile } = await import('../bench/peers.mjs');
  const relaxed = await googleTest(program('kernel_tests_relaxed'), env, peerFile('node-new', say));
  return Object.fromEntries(Object.keys(plain).map((key) => [key, plain[key] + relaxed[key]]));
}

function countGoogleTest(file, code) {
  // Without its report, the program did not come to its end: a crash or a sanitizer's finding.
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const cases = report.testsuites.flatMap((suite) => suite.testsuite);
  const failed = cases.filter((test) => test.failures?.length > 0).length;
  const skipped = cases.filter((test) => test.result === 'SKIPPED' || test.status === 'NOTRUN').length;
  const passed = cases.length - failed - skipped;
  // A leak is reported after the tests: no case has failed, but the exit code tells.
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed, skipped };
}

/** Models that exporters wrote, beside the seeds that the targets write themselves (tests/fuzz/seeds.h). */
function copySmallExports(folder) {
  const exports = join(root, 'tests', 'models', 'reference', 'exports');
  for (const name of readdirSync(exports)) {
    // One of each exporter: what is learned from others is little, and each start takes them all.
    const path = join(exports, name);
    if (/\.(tracing11|tracing17|dynamo18)\.onnx$/.test(name) && statSync(path).size <= MOST_SEED_BYTES)
      cpSync(path, join(folder, name));
  }
}

/** Runs each fuzz target on its seeds. */
async function fuzz(env) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const target of fuzzTargets()) {
    const work = mkdtempSync(join(tmpdir(), 'sardonyx-fuzz-'));
    const corpus = join(work, 'corpus');
    mkdirSync(corpus);
    if (target !== 'image_fuzz') copySmallExports(corpus);
    const args = [
      `-max_total_time=${FUZZ_SECONDS}`,
      // The same inputs in the same order: whether a change passes must not hang on luck. --all looks for new ones.
      ...(env.SARDONYX_TEST_ALL === '1' ? [] : ['-seed=1']),
      '-timeout=10',
      '-rss_limit_mb=2048',
      `-artifact_prefix=${work}/`,
      corpus,
    ];
    const { code, output } = await step(target, join(native, target), args, {
      cwd: root,
      env: { ...env, ...sanitizerEnv },
      allowFailure: true,
    });
    say(`  ${output.trimEnd().split('\n').at(-1)}`);
    counts[code === 0 ? 'passed' : 'failed']++;
    // The input that was found stays where the report says it is.
    if (code !== 0) say(output.trimEnd().split('\n').slice(-60).join('\n'));
    else rmSync(work, { recursive: true, force: true });
  }
  return counts;
}

function fuzzTargets() {
  const folder = join(root, 'tests', 'fuzz');
  return existsSync(folder) ? sourcesIn(folder, '.cpp').map((name) => name.slice(0, -'.cpp'.length)) : [];
}

const sourcesIn = (folder, ending) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort();

/** Runs tests/<folder>/*.test.mjs with Node's test runner. */
async function nodeTest(folder, env) {
  const path = join(root, 'tests', folder);
  const files = existsSync(path) ? sourcesIn(path, '.test.mjs') : [];
  if (files.length === 0) return { passed: 0, failed: 0, skipped: 0 };
  const args = ['--test', '--test-reporter=tap', ...files.map((name) => join(path, name))];
  const { code, output } = await step(`tests/${folder}`, process.execPath, args, {
    cwd: root,
    env,
    allowFailure: true,
  });
  const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1] ?? 0);
  const counts = {
    passed: count('pass'),
    failed: count('fail') + count('cancelled'),
    skipped: count('skipped') + count('todo'),
  };
  if (code !== 0) say(failures(output));
  // Comments of the tests themselves (what is missing, what was measured) are worth reading even when all is well.
  const notes = output
    .split('\n')
    .filter((line) => /^# (?!tests |suites |pass |fail |cancelled |skipped |todo |duration_ms |Subtest:)/.test(line));
  for (const line of notes.slice(0, 40)) say(`  ${line}`);
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

/** From a TAP report: each test that failed, with what it says. */
function failures(tap) {
  const shown = [];
  let until = -1;
  const lines = tap.split('\n');
  for (const [i, line] of lines.entries()) {
    const failed = /^(\s*)not ok /.exec(line);
    if (failed) until = i + 1 + lines.slice(i + 1).findIndex((later) => later.trim() === '...');
    if (i <= until && shown.length < 400) shown.push(line);
  }
  return shown.join('\n');
}

function chosenStages(args) {
  const at = args.indexOf('--only');
  if (at < 0) return args.includes('--all') ? stages : stages.filter(({ heavy }) => !heavy);
  const names = (args[at + 1] ?? '').split(',');
  const chosen = stages.filter(({ name }) => names.includes(name));
  if (chosen.length !== names.length) {
    throw new SetupError(`--only takes: ${stages.map(({ name }) => name).join(' ')}`);
  }
  return chosen;
}

await main(async () => {
  const start = performance.now();
  const args = process.argv.slice(2);
  const chosen = chosenStages(args);
  say('== set-up and builds');
  const env = await setup({ test: true, all: chosen.some(({ heavy }) => heavy) });
  if (args.includes('--all')) env.SARDONYX_TEST_ALL = '1';
  if (chosen.some(({ name }) => nativeStages.includes(name))) await cmake('native-debug', env);
  if (chosen.some(({ name }) => packageStages.includes(name))) await build(env);

  const total = { passed: 0, failed: 0, skipped: 0 };
  const summary = [];
  for (const { title, run } of chosen) {
    const stageStart = performance.now();
    say(`== ${title}`);
    const counts = await run(env);
    for (const key of Object.keys(total)) total[key] += counts[key];
    const { passed, failed, skipped } = counts;
    summary.push(`${title.padEnd(24)} ${passed} passed, ${failed} failed, ${skipped} skipped (${seconds(stageStart)})`);
    say(`  ${summary.at(-1)}`);
  }
  say(`== all (${seconds(start)})`);
  for (const line of summary) say(`  ${line}`);
  if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
  say(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
});

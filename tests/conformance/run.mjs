// Runs the ONNX suite and prints a summary: node tests/conformance/run.mjs [--filter REGEX] [--list] [--update]
//   --filter  only the cases whose id (node/test_abs) matches
//   --list    every failing case with its problem
//   --update  write expectations.json from the results (of the whole suite)
import { parseArgs } from 'node:util';
import { fetchSuite } from '../../scripts/fetch-suite.mjs';
import { readUndecided, writeExpectations } from './expectations.mjs';
import { reasonOf, runCases } from './runner.mjs';
import { kGroups, listCases } from './suite.mjs';

const { values: options } = parseArgs({
  options: { filter: { type: 'string' }, list: { type: 'boolean' }, update: { type: 'boolean' } },
});
if (options.update && options.filter) throw new Error('--update needs the results of the whole suite: no --filter');

const { folder, version } = fetchSuite({ log: console.error });
const wanted = new RegExp(options.filter ?? '');
const begin = performance.now();
const results = await runCases(
  folder,
  listCases(folder).filter((id) => wanted.test(id)),
);
const seconds = (performance.now() - begin) / 1000;
const failed = results.filter((r) => r.problem);

if (options.list) for (const { id, problem } of failed) console.log(`${id}: ${problem}`);

const counts = new Map();
for (const result of failed) {
  const reason = reasonOf(result).replace(/-\d+(?=,|$)/g, ''); // whatever the opset
  counts.set(reason, (counts.get(reason) ?? 0) + 1);
}
for (const [reason, count] of [...counts].sort((a, b) => b[1] - a[1]))
  console.log(`${String(count).padStart(5)}  ${reason}`);

console.log(`ONNX suite ${version}:`);
for (const group of kGroups) {
  const inGroup = results.filter((r) => r.id.startsWith(`${group}/`));
  if (inGroup.length) console.log(`  ${group}: ${inGroup.filter((r) => !r.problem).length} of ${inGroup.length} pass`);
}
const byType = results.filter((r) => readUndecided().has(r.id)).length;
if (byType) console.log(`  ${byType} of them are compared by type and shape only (undecided.json says why)`);
console.log(`  all: ${results.length - failed.length} of ${results.length} pass, ${seconds.toFixed(1)} s`);
if (options.update) writeExpectations(version, results, reasonOf);

// The list of cases that are known to fail, with their reasons, and how results are held against it.
import { readFileSync, writeFileSync } from 'node:fs';

const kFile = new URL('expectations.json', import.meta.url);
const kUndecided = new URL('undecided.json', import.meta.url);
const kNote = 'note: '; // starts a reason that was written by hand, which an update keeps

// The list depends on the suite's release: 1.20.0-6 -> 1.20
const releaseOf = (version) => version.split('.').slice(0, 2).join('.');
const readAll = () => JSON.parse(readFileSync(kFile, 'utf8'));

/** Case -> reason, for a version of the suite such as 1.20.0-6. Throws where there is no list for its release. */
export function readExpectations(version) {
  const list = readAll()[releaseOf(version)];
  if (!list) throw new Error(`expectations.json has no list for the suite ${version}: run.mjs --update writes one`);
  return new Map(Object.entries(list));
}

/** Case -> reason, of the cases whose values decide nothing: they are compared by type and shape. */
export const readUndecided = () => new Map(Object.entries(JSON.parse(readFileSync(kUndecided, 'utf8'))));

/**
 * What differs between results and the list, a line each: a case fails that is not listed, a listed one passes, or a
 * listed one has no result.
 */
export function surprises(results, expected) {
  const seen = new Set(results.map((r) => r.id));
  const lines = results.flatMap(({ id, problem }) => {
    if (problem && !expected.has(id)) return [`${id} fails: ${problem}`];
    return !problem && expected.has(id) ? [`${id} passes, but is listed ("${expected.get(id)}"): take it off`] : [];
  });
  const gone = [...expected.keys()].filter((id) => !seen.has(id)).map((id) => `${id} is listed, but not in the suite`);
  return [...lines, ...gone];
}

/** Writes the list anew from the results of the whole suite; a reason written by hand stays with its case. */
export function writeExpectations(version, results, reasonOf) {
  const all = readAll();
  const before = all[releaseOf(version)] ?? {};
  const failed = results.filter((r) => r.problem);
  const list = failed.map((r) => [r.id, before[r.id]?.startsWith(kNote) ? before[r.id] : reasonOf(r)]);
  all[releaseOf(version)] = Object.fromEntries(list);
  writeFileSync(kFile, `${JSON.stringify(all, null, 2)}\n`);
}

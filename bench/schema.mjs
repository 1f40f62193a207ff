// What the JSON of a run of the benchmark must hold; used in Node.js and in pages.

/** Raised when a reader of the old form would misread the new one. */
export const kFormat = 1;

const isNumber = (x) => Number.isFinite(x) && x >= 0;
const isText = (x) => typeof x === 'string' && x !== '';
const isSpread = (x) =>
  ['least', 'lower', 'median', 'upper', 'most'].every((key) => isNumber(x?.[key])) &&
  x.least <= x.lower &&
  x.lower <= x.median &&
  x.median <= x.upper &&
  x.upper <= x.most;
const listOf = (fits) => (x) => Array.isArray(x) && x.every(fits);
const optional = (fits) => (x) => x === undefined || fits(x);

// [path, check]: '[]' in a path stands for every element.
const kRules = [
  ['format', (x) => x === kFormat],
  ['time', (x) => !Number.isNaN(Date.parse(x))],
  ['machine.cores', isNumber],
  ['options.pairs', isNumber],
  ['runs[].model', isText],
  ['runs[].env', isText],
  ['runs[].fileBytes', isNumber],
  ['runs[].variant', isText],
  ['runs[].threads', isNumber],
  ['runs[].ratios', listOf((r) => isText(r.against) && isSpread(r))],
  ['runs[].speed.peak', isNumber],
  ['runs[].entries[].runtime', isText],
  ['runs[].entries[].version', isText],
  ['runs[].entries[].times', listOf(isNumber)],
  ['runs[].entries[].ms', isSpread],
  ['runs[].entries[].createMs', isNumber],
  ['runs[].entries[].firstRunMs', isNumber],
  ['runs[].entries[].heapAfterLoad', isNumber],
  ['runs[].entries[].heapPeak', isNumber],
  ['runs[].entries[].processPeak', optional(isNumber)],
  ['cold[].model', isText],
  ['cold[].env', isText],
  ['cold[].create.ratio', isSpread],
  ['cold[].ready.ours', isSpread],
  ['cold[].firstRun.theirs', isSpread],
  ['sizes[].name', isText],
  ['sizes[].brotli', isNumber],
  ['failures[].error', isText],
];

/** [path, value] of everything that a path of kRules names. */
function valuesAt(value, steps, path = '') {
  if (steps.length === 0) return [[path, value]];
  const [step, ...rest] = steps;
  if (step !== '[]') return valuesAt(value?.[step], rest, `${path}.${step}`);
  if (!Array.isArray(value)) return [[path, undefined]];
  return value.flatMap((item, i) => valuesAt(item, rest, `${path}[${i}]`));
}

/** What is wrong with a result, one line each; nothing where it is whole. */
export function problemsOf(results) {
  const problems = [];
  for (const [path, fits] of kRules) {
    const steps = path.replaceAll('[]', '.[]').split('.');
    for (const [at, value] of valuesAt(results, steps)) {
      if (!fits(value)) problems.push(`${at.slice(1)} is ${JSON.stringify(value)}`);
    }
  }
  for (const [i, run] of (results.runs ?? []).entries()) {
    if (!(run.env in results.engines)) problems.push(`runs[${i}].env: ${run.env} has no engine`);
    for (const { label, times } of run.entries) {
      if (times.length !== results.options.pairs) problems.push(`runs[${i}]: ${label} has ${times.length} times`);
    }
  }
  return problems;
}

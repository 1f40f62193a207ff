// A result as text.
import { busyRuns, configurations, headlines, heapsOf, kAgreement } from './summary.mjs';

const ms = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(1)).padStart(9);
const times = (value) => `${value.toFixed(2)}x`;
const mb = (bytes) => (bytes / 2 ** 20).toFixed(0).padStart(6);
const kb = (bytes) => (bytes / 1000).toFixed(0).padStart(8);
const kName = 30;

/** One run, one line: both times, the ratio with its quartiles, what is against it else. */
export function runLine(run) {
  const [ours, theirs] = run.entries;
  const [ratio, ...others] = run.ratios;
  const share = run.speed.share === undefined ? '' : `${(100 * run.speed.share).toFixed(0)}%`;
  const spread = `(${ratio.lower.toFixed(2)} to ${ratio.upper.toFixed(2)})`.padEnd(15);
  const line = `${run.model.padEnd(kName)}${ms(ours.ms.median)}${ms(theirs.ms.median)}  ${times(ratio.median)} ${spread} ${share.padStart(5)}`;
  const more = others.map((other) => `${times(other.median)} ${other.against}`);
  const apart = run.ratios.filter(({ difference }) => !(difference <= kAgreement));
  for (const { against, difference } of apart)
    more.push(`RESULTS DIFFER by ${difference?.toExponential(1)} from ${against}`);
  const asked = run.entries.filter((entry) => entry.threads !== entry.asked.threads);
  for (const { label, threads } of asked) more.push(`${label} HAS ${threads} THREADS`);
  return [line, ...more].join('  ');
}

function runsTable({ label, runs, mean, worst }) {
  const head = `${label.padEnd(kName)} Sardonyx      ORT  ratio (quartiles)    of peak`;
  const foot = worst
    ? [`${'geometric mean'.padEnd(kName)}${' '.repeat(20)}${times(mean)}, worst ${times(worst.ratio)} ${worst.model}`]
    : [];
  return [head, ...runs.map(runLine), ...foot, ''];
}

function loadTable(runs) {
  const rows = runs.map((run) => {
    const [ours, theirs] = run.entries;
    const heaps = heapsOf(run);
    const heap = ({ load, peak }) => `${mb(load)}${mb(peak)}`;
    const pair = (key) => `${ms(ours[key])}${ms(theirs[key])}`;
    return `${run.model.padEnd(kName)}${pair('createMs')}${pair('firstRunMs')} ${heap(heaps.ours)} ${heap(heaps.theirs)}  ${times(heaps.theirs.peak / heaps.ours.peak)}`;
  });
  return [`${''.padEnd(kName)}  create, ms        first run, ms     heap, MiB: load, peak (ours, ORT)`, ...rows, ''];
}

function coldTable(cold) {
  const rows = cold.flatMap(({ env, variant, model, ...what }) =>
    ['create', 'ready', 'firstRun'].map((key) => {
      const { ours, theirs, ratio } = what[key];
      const spread = `(${ratio.lower.toFixed(2)} to ${ratio.upper.toFixed(2)})`;
      return `${`${env}, ${variant}, ${model}: ${key}`.padEnd(48)}${ms(ours.median)}${ms(theirs.median)}  ${times(ratio.median)} ${spread}`;
    }),
  );
  return ['cold, a fresh process or page each time        Sardonyx      ORT  ratio (quartiles)', ...rows, ''];
}

function sizesTable(sizes) {
  const rows = sizes.map(({ name, raw, gzip, brotli }) => `${name.padEnd(kName)}${kb(raw)}${kb(gzip)}${kb(brotli)}`);
  return [`${'download, kB'.padEnd(kName)}     raw    gzip  brotli`, ...rows, ''];
}

/** The lines of all tables of a result. */
export function tables(results) {
  const configs = configurations(results);
  const busy = busyRuns(results).length;
  const warning = `The machine had other work during ${busy} of ${results.runs.length} comparisons: do not trust them.`;
  return [
    ...configs.flatMap(runsTable),
    ...configs.flatMap(({ label, runs }) => [`load and memory: ${label}`, ...loadTable(runs)]),
    ...(results.cold.length ? coldTable(results.cold) : []),
    ...(results.sizes.length ? sizesTable(results.sizes) : []),
    ...headlines(results).map(([what, figure]) => `${what.padEnd(58)} ${figure}`),
    '',
    ...(busy ? [warning] : []),
    ...results.failures.map(({ what, error }) => `FAILED ${what}: ${error}`),
  ];
}

// A result as tables for docs/PERFORMANCE.md:
//   node bench/markdown.mjs [RESULT.json]     (default: the newest in bench/results)
import { readFileSync } from 'node:fs';
import { newestResults } from './results.mjs';
import { configurations, headlines, heapsOf, ratioOf } from './summary.mjs';

const kPeer = 'onnxruntime-web';
const kShown = 3; // operators of a profile
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const ms = (value) => value.toFixed(value < 10 ? 2 : 0);
const mib = (bytes) => (bytes / 2 ** 20).toFixed(0);

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).concat('');
}

function ratios(results) {
  const configs = configurations(results).filter(({ worst }) => worst);
  const models = [...new Set(results.runs.map(({ model }) => model))];
  const rows = models.map((model) => [
    model,
    ...configs.map(({ runs }) => {
      const run = runs.find((r) => r.model === model);
      return run && ratioOf(run, kPeer) ? ratioOf(run, kPeer).median.toFixed(2) : '';
    }),
  ]);
  return table(['', ...configs.map(({ label }) => label)], rows);
}

function operators({ profile }) {
  if (!profile) return '';
  const sum = profile.reduce((all, [, time]) => all + time, 0);
  return profile
    .slice(0, kShown)
    .map(([type, time]) => `${type} ${percent(time / sum)}`)
    .join(', ');
}

/** Of one configuration: both times, the share of the peak, where the time goes. */
function details({ label, runs }) {
  const rows = runs.map((run) => {
    const [ours, theirs] = run.entries;
    const { share } = run.speed;
    return [run.model, ms(ours.ms.median), ms(theirs.ms.median), share ? percent(share) : '', operators(ours)];
  });
  return [`${label}:`, '', ...table(['', 'Sardonyx, ms', 'ORT, ms', 'of the peak', 'by operator'], rows)];
}

function heaps({ label, runs }) {
  const rows = runs.map((run) => {
    const { ours, theirs } = heapsOf(run);
    const both = [ours, theirs].flatMap(({ load, peak }) => [mib(load), mib(peak)]);
    return [run.model, mib(run.fileBytes), ...both, (ours.peak / theirs.peak).toFixed(2)];
  });
  const head = ['MiB', 'file', 'ours, loaded', 'peak', 'ORT, loaded', 'peak', 'peaks, ours / ORT'];
  return [`${label}:`, '', ...table(head, rows)];
}

/** The lines of all tables. */
export function markdown(results) {
  const single = configurations(results).filter(({ runs, worst }) => worst && runs[0].threads === 1);
  return [
    ...table(['', 'times faster'], headlines(results)),
    ...ratios(results),
    ...single.flatMap(details),
    ...single.slice(0, 1).flatMap(heaps),
  ];
}

if (import.meta.filename === process.argv[1]) {
  const path = process.argv[2] ?? newestResults();
  console.log(markdown(JSON.parse(readFileSync(path, 'utf8'))).join('\n'));
}

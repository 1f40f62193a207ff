// The report's sections, each an element with a heading, a plot or a table, and what it says.
import { configurations, headlines, heapsOf, kAgreement, ratioOf } from '../summary.mjs';
import { barPlot } from './plots.mjs';

const kPeer = 'onnxruntime-web';

function element(tag, text, ...children) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

function section(title, note, ...content) {
  return element('section', undefined, element('h2', title), element('p', note), ...content);
}

function table(head, rows) {
  const line = (cells, tag) => element('tr', undefined, ...cells.map((cell) => element(tag, cell)));
  const made = element(
    'table',
    undefined,
    element('thead', undefined, line(head, 'th')),
    element('tbody', undefined, ...rows.map((cells) => line(cells, 'td'))),
  );
  const scroll = element('div', undefined, made);
  scroll.className = 'scroll';
  return scroll;
}

const ms = (value) => value.toFixed(value < 10 ? 2 : 1);
const times = (value) => `${value.toFixed(2)}×`;
const mib = (bytes) => (bytes / 2 ** 20).toFixed(0);
const percent = (share) => (share === undefined ? '' : `${(100 * share).toFixed(0)} %`);
const modelsOf = (runs) => [...new Set(runs.map(({ model }) => model))];

/** A series: for each model, what `pick` says of its run, or null. */
function seriesOf(label, runs, models, pick, spreadOf) {
  const found = models.map((model) => runs.find((run) => run.model === model));
  const values = found.map((run) => (run && pick(run)) ?? null);
  return { label, values, spreads: spreadOf && found.map((run) => run && spreadOf(run)) };
}

function overview(results) {
  const rows = configurations(results)
    .filter(({ worst }) => worst)
    .map(({ label, runs, mean, worst }) => [label, String(runs.length), times(mean), times(worst.ratio), worst.model]);
  const note = `How many times faster than ${kPeer}: the median over pairs that were measured in turn, in one environment, on the same inputs and threads.`;
  const configs = table(['', 'models', 'geometric mean', 'worst', ''], rows);
  return section('Overview', note, configs, element('p'), table(['', 'times faster'], headlines(results)));
}

function ratios(results) {
  const configs = configurations(results).filter(({ worst }) => worst);
  const models = modelsOf(results.runs);
  const ratio = (run) => ratioOf(run, kPeer);
  const series = configs.map(({ label, runs }) => seriesOf(label, runs, models, (run) => ratio(run)?.median, ratio));
  const note =
    'Times faster, above 1 is better for Sardonyx; the lines are quartiles. A click on a name in the legend hides it.';
  const look = { unit: '×', at: 1, alt: `Ratio to ${kPeer} by model` };
  return section('By model', note, barPlot(models, series, look));
}

function configuration({ label, runs }) {
  const models = modelsOf(runs);
  const labels = [...new Set(runs.flatMap(({ entries }) => entries.map((entry) => entry.label)))];
  const timeOf = (name) => (run) => run.entries.find((entry) => entry.label === name)?.ms;
  const series = labels.map((name) => seriesOf(name, runs, models, (run) => timeOf(name)(run)?.median, timeOf(name)));
  const head = [
    'model',
    ...labels.map((name) => `${name}, ms`),
    ...labels.slice(1).map((name) => `against ${name}`),
    'of the peak',
    '',
  ];
  const rows = runs.map((run) => [
    `${run.model} ${run.input}`,
    ...labels.map((name) => (timeOf(name)(run) ? ms(timeOf(name)(run).median) : '')),
    ...labels.slice(1).map((name) => {
      const ratio = ratioOf(run, name);
      return ratio ? `${times(ratio.median)} (${ratio.lower.toFixed(2)} to ${ratio.upper.toFixed(2)})` : '';
    }),
    percent(run.speed.share),
    run.ratios.every(({ difference }) => difference <= kAgreement) ? '' : 'results differ',
  ]);
  const look = { unit: 'ms', logarithmic: true, alt: `Times of ${label} by model` };
  const note =
    'Milliseconds per run, on a logarithmic scale. The peak is that of multiply-adds in registers, measured in the same process; Winograd can pass it.';
  return section(label, note, barPlot(models, series, look), table(head, rows));
}

function profiles({ label, runs }) {
  const profiled = runs.filter(({ entries }) => entries[0].profile);
  if (!profiled.length) return undefined;
  const total = new Map();
  const shares = profiled.map(({ entries }) => {
    const { profile } = entries[0];
    const sum = profile.reduce((all, [, time]) => all + time, 0);
    const share = new Map(profile.map(([type, time]) => [type, (100 * time) / sum]));
    for (const [type, value] of share) total.set(type, (total.get(type) ?? 0) + value);
    return share;
  });
  const types = [...total].sort((a, b) => b[1] - a[1]).map(([type]) => type);
  const shown = types.slice(0, 9);
  const series = shown.map((type) => ({ label: type, values: shares.map((share) => share.get(type) ?? 0) }));
  const rest = shares.map((share) => types.slice(9).reduce((sum, type) => sum + (share.get(type) ?? 0), 0));
  if (types.length > 9) series.push({ label: 'others', values: rest });
  const look = { unit: '%', stacked: true, alt: `Time by operator, ${label}` };
  const names = profiled.map(({ model }) => model);
  return section(
    'Where the time goes',
    `By operator, after fusion, in one profiled run: ${label}.`,
    barPlot(names, series, look),
  );
}

function memory({ label, runs }) {
  const models = modelsOf(runs);
  const bytes = (side, what) => (run) => {
    const value = heapsOf(run)[side]?.[what];
    return value === undefined ? null : value / 2 ** 20;
  };
  const series = [
    seriesOf('Sardonyx, peak', runs, models, bytes('ours', 'peak')),
    seriesOf(`${kPeer}, peak`, runs, models, bytes('theirs', 'peak')),
  ];
  const rows = runs
    .filter((run) => heapsOf(run).theirs)
    .map((run) => {
      const { ours, theirs } = heapsOf(run);
      const [first, second] = run.entries;
      return [
        run.model,
        ...[ours.load, ours.peak, theirs.load, theirs.peak].map(mib),
        ...[first.createMs, second.createMs, first.firstRunMs, second.firstRunMs].map(ms),
      ];
    });
  const both = (what) => [`${what}, Sardonyx`, `${what}, ORT`];
  const head = [
    'model',
    'MiB loaded, Sardonyx',
    'peak',
    'MiB loaded, ORT',
    'peak',
    ...both('create, ms'),
    ...both('first run, ms'),
  ];
  const note = `The heaps of WebAssembly, each model in a process or page of its own: after loading, and at most. ${label}.`;
  const look = { unit: 'MiB', alt: `WebAssembly heaps, ${label}` };
  return section('Memory and loading', note, barPlot(models, series, look), table(head, rows));
}

function cold(results) {
  if (!results.cold.length) return undefined;
  const names = results.cold.map(({ env, model }) => `${env}, ${model}`);
  const side = (key) => ({
    values: results.cold.map(({ ready }) => ready[key].median),
    spreads: results.cold.map(({ ready }) => ready[key]),
  });
  const series = [
    { label: 'Sardonyx', ...side('ours') },
    { label: kPeer, ...side('theirs') },
  ];
  const rows = results.cold.flatMap(({ env, model, ...what }) =>
    ['create', 'ready', 'firstRun'].map((key) => {
      const { ours, theirs, ratio } = what[key];
      return [`${env}, ${model}: ${key}`, ms(ours.median), ms(theirs.median), times(ratio.median)];
    }),
  );
  const note = 'From nothing to a session: import, compile, load; a fresh process or page each time.';
  const plot = barPlot(names, series, { unit: 'ms', alt: 'Time to the first session' });
  return section('First session', note, plot, table(['', 'Sardonyx, ms', 'ORT, ms', 'times faster'], rows));
}

function sizes(results) {
  if (!results.sizes.length) return undefined;
  const names = results.sizes.map(({ name }) => name);
  const series = ['raw', 'gzip', 'brotli'].map((kind) => ({
    label: kind,
    values: results.sizes.map((size) => size[kind] / 1e6),
  }));
  const rows = results.sizes.map((size) => [
    size.name,
    ...['raw', 'gzip', 'brotli'].map((kind) => (size[kind] / 1000).toFixed(0)),
  ]);
  const plot = barPlot(names, series, { unit: 'MB', alt: 'Download sizes' });
  return section(
    'Download',
    'All files that are needed to run a model.',
    plot,
    table(['', 'raw, kB', 'gzip', 'brotli'], rows),
  );
}

/** The sections of a result, in their order. */
export function sections(results) {
  const configs = configurations(results);
  const single = configs.filter(({ runs }) => runs[0].threads === 1);
  return [
    ...(configs.length ? [overview(results), ratios(results)] : []),
    ...configs.map(configuration),
    ...single.map(profiles),
    ...single.map(memory),
    cold(results),
    sizes(results),
  ].filter(Boolean);
}

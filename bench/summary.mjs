// A result in few numbers, for the tables and the report page alike; used in Node.js and in pages.
import { geometricMean } from './statistics.mjs';

const kPeer = 'onnxruntime-web';
export const kAgreement = 1e-2; // outputs further apart than this, as a share of the largest, are pointed out

export const labelOf = ({ env, variant, threads }) => `${env}, ${variant}, ${threads} thread${threads > 1 ? 's' : ''}`;

/** Runs during which the machine had other work: its load was more than the contestant that had its turn makes. */
export const busyRuns = ({ runs }) => runs.filter(({ load, threads }) => load > threads + 1.5);

/** The ratio of a run against another contestant, by its label. */
export const ratioOf = (run, against) => run.ratios.find((ratio) => ratio.against === against);

// Transformers and quantised models have aims of their own, one by one.
const isNetwork = ({ group }) => group !== 'transformers';

/**
 * Runs by environment, variant and threads: [{label, runs, mean, worst}], the ratios against onnxruntime-web; mean and
 * worst without the group of transformers.
 */
export function configurations(results) {
  const groups = new Map();
  for (const run of results.runs) groups.set(labelOf(run), [...(groups.get(labelOf(run)) ?? []), run]);
  return [...groups].map(([label, runs]) => {
    const compared = runs.filter((run) => isNetwork(run) && ratioOf(run, kPeer));
    const ratios = compared.map((run) => ratioOf(run, kPeer).median);
    const least = Math.min(...ratios);
    const worst = compared[ratios.indexOf(least)];
    const mean = ratios.length ? geometricMean(ratios) : undefined;
    return { label, runs, mean, worst: worst && { model: worst.model, ratio: least } };
  });
}

/** The heaps of a run, ours and onnxruntime-web's: {ours, theirs} of {load, peak} in bytes. */
export function heapsOf({ entries }) {
  const heaps = (entry) => entry && { load: entry.heapAfterLoad, peak: entry.heapPeak };
  return { ours: heaps(entries[0]), theirs: heaps(entries.find(({ runtime }) => runtime === kPeer)) };
}

const find = (results, env, variant, threads, model) =>
  results.runs.find((r) => r.env === env && r.variant === variant && r.threads === threads && r.model === model);

/** [model, ratio against `against`] of the runs of a configuration that have it. */
function against(results, [env, variant, threads], label) {
  return results.runs
    .filter((run) => run.env === env && run.variant === variant && run.threads === threads)
    .filter((run) => isNetwork(run) && ratioOf(run, label))
    .map((run) => [run.model, ratioOf(run, label).median]);
}

function meanLine(results, config, label) {
  const ratios = against(results, config, label);
  if (!ratios.length) return undefined;
  const [model, worst] = ratios.reduce((a, b) => (b[1] < a[1] ? b : a));
  return `${geometricMean(ratios.map(([, ratio]) => ratio)).toFixed(2)}, worst ${worst.toFixed(2)} (${model})`;
}

function modelLine(results, config, model, label = kPeer) {
  const run = find(results, ...config, model);
  const ratio = run && ratioOf(run, label);
  return ratio && `${ratio.median.toFixed(2)} (${ratio.lower.toFixed(2)} to ${ratio.upper.toFixed(2)})`;
}

function coldLine(results, env) {
  const lines = results.cold
    .filter((cold) => cold.env === env)
    .map(({ model, create }) => `${create.ratio.median.toFixed(1)} (${model}: ${create.ours.median.toFixed(0)} ms)`);
  return lines.length ? lines.join(', ') : undefined;
}

function sizeLine({ sizes }) {
  const theirs = sizes.find(({ name }) => name.startsWith(kPeer));
  const ours = sizes.filter(({ name }) => name.startsWith('Sardonyx'));
  if (!theirs || !ours.length) return undefined;
  const most = ours.reduce((a, b) => (b.brotli > a.brotli ? b : a));
  return `1/${(theirs.brotli / most.brotli).toFixed(1)} (${most.name}: ${Math.round(most.brotli / 1000)} kB)`;
}

const kPlain = ['node', 'simd', 1];
const kRelaxed = ['chromium', 'relaxed', 1];
const kTransformers = [
  'MiniLM',
  'MiniLM q8',
  'Llama-like q4, built',
  'Llama-like q4',
  'Whisper-like encoder',
  'isnet_quint8',
];
const kTwo = [
  ['node', 'simd', 2],
  ['chromium', 'relaxed', 2],
];

/** The figures that the project is held to: [what, figure] of those that were measured; times faster, unless they say else. */
export function headlines(results) {
  const alone = 'Sardonyx, 1 thread';
  const lines = [
    ['Node.js, plain, 1 thread: geometric mean', meanLine(results, kPlain, kPeer)],
    ['Chromium, relaxed, 1 thread: geometric mean', meanLine(results, kRelaxed, kPeer)],
    ...['resnet50', 'vgg19', 'mobilenetv2', ...kTransformers].flatMap((model) => [
      [`${model}: Node.js, plain`, modelLine(results, kPlain, model)],
      [`${model}: Chromium, relaxed`, modelLine(results, kRelaxed, model)],
    ]),
    [
      'mobilenetv2: Node.js, plain, against tfjs-wasm (XNNPACK)',
      modelLine(results, kPlain, 'mobilenetv2', 'tfjs-wasm'),
    ],
    ['Node.js, plain, 1 thread, against native onnxruntime', meanLine(results, kPlain, 'onnxruntime-node')],
    ...kTwo.flatMap((config) => [
      [`resnet50: ${config[0]}, 2 threads against our 1`, modelLine(results, config, 'resnet50', alone)],
      [`${config[0]}, 2 threads against their 2: geometric mean`, meanLine(results, config, kPeer)],
    ]),
    ['cold creation, Node.js', coldLine(results, 'node')],
    ['cold creation, Chromium', coldLine(results, 'chromium')],
    ['download, brotli', sizeLine(results)],
  ];
  return lines.filter(([, figure]) => figure);
}

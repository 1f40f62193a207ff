// A result in few numbers, for the tables and the report page alike; used in Node.js and in pages.
import { geometricMean } from './statistics.mjs';

const kPeer = 'onnxruntime-web';
export const kAgreement = 1e-2; // outputs further apart than this, as a share of the largest, are pointed out

export const labelOf = ({ env, variant, threads }) => `${env}, ${variant}, ${threads} thread${threads > 1 ? 's' : ''}`;

/** The ratio of a run against another contestant, by its label. */
export const ratioOf = (run, against) => run.ratios.find((ratio) => ratio.against === against);

/** Runs by environment, variant and threads: [{label, runs, mean, worst}], the ratios against onnxruntime-web. */
export function configurations(results) {
  const groups = new Map();
  for (const run of results.runs) groups.set(labelOf(run), [...(groups.get(labelOf(run)) ?? []), run]);
  return [...groups].map(([label, runs]) => {
    const compared = runs.filter((run) => ratioOf(run, kPeer));
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

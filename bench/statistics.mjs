// Medians and spreads of paired measurements.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Of pairs [ours, theirs] in ms: the medians of both, and the ratio theirs / ours (above 1: ours is faster) as the median
 * of the pairs' own ratios and as the ratio of the medians, with the smallest and largest of the pairs'. The machine's
 * speed drifts, so only what was measured side by side is set against each other.
 */
export function comparePairs(pairs) {
  const ratios = pairs.map(([ours, theirs]) => theirs / ours);
  const ours = median(pairs.map((p) => p[0]));
  const theirs = median(pairs.map((p) => p[1]));
  return {
    ours,
    theirs,
    ratio: median(ratios),
    ratioOfMedians: theirs / ours,
    least: Math.min(...ratios),
    most: Math.max(...ratios),
  };
}

/** A line for people: `label  12.3 ms  24.6 ms  2.00x (1.90-2.10)`. */
export function pairsLine(label, { ours, theirs, ratio, least, most }) {
  const ms = (v) => `${v.toFixed(v < 10 ? 2 : 1)} ms`.padStart(11);
  const spread = `(${least.toFixed(2)} to ${most.toFixed(2)})`;
  return `${label.padEnd(52)}${ms(ours)}${ms(theirs)}  ${ratio.toFixed(2)}x ${spread}`;
}

// Medians and spreads of measurements that were taken in turn.

/** The value below which the share `q` of the sorted values lies, between two of them by their distance. */
function quantile(sorted, q) {
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

/** {median, least, most, lower, upper}: the last two are the quartiles. */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    least: sorted[0],
    most: sorted.at(-1),
    lower: quantile(sorted, 0.25),
    upper: quantile(sorted, 0.75),
  };
}

export function median(values) {
  return spread(values).median;
}

/**
 * How many times faster `ours` is: the spread of theirs[i] / ours[i]. Only what was measured side by side is set against
 * each other, since the speed of the machine drifts.
 */
export function pairedRatio(ours, theirs) {
  if (ours.length !== theirs.length) throw new Error(`${ours.length} and ${theirs.length} times are no pairs`);
  return spread(ours.map((time, i) => theirs[i] / time));
}

export function geometricMean(values) {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** The largest distance of two lists of lists, as a share of the largest value in the second's list; NaNs are equal. */
export function disagreement(a, b) {
  let worst = 0;
  for (const [i, list] of b.entries()) {
    if (a[i]?.length !== list.length) return Number.POSITIVE_INFINITY;
    const scale = list.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 1e-30);
    for (const [j, value] of list.entries()) {
      const distance = Object.is(a[i][j], value) ? 0 : Math.abs(a[i][j] - value) / scale;
      worst = Number.isNaN(distance) ? Number.POSITIVE_INFINITY : Math.max(worst, distance);
    }
  }
  return worst;
}

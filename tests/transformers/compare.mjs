// Results of the client against a reference: texts are the same, numbers near.

/** What embeddings and scores are held to. */
export const kTolerance = 1e-3;

/** What differs first, with its place; '' where nothing does. */
export function differenceOf(actual, expected, tolerance = kTolerance, place = 'result') {
  if (typeof expected === 'number') {
    return Math.abs(actual - expected) <= tolerance ? '' : `${place} is ${actual}, not ${expected}`;
  }
  if (expected === null || typeof expected !== 'object') {
    return actual === expected ? '' : `${place} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;
  }
  if (actual === null || typeof actual !== 'object') return `${place} is ${JSON.stringify(actual)}`;
  const keys = Object.keys(expected);
  const others = Object.keys(actual);
  if (String(keys) !== String(others)) return actual.error ?? `${place} has [${others}], not [${keys}]`;
  return keys.map((key) => differenceOf(actual[key], expected[key], tolerance, `${place}.${key}`)).find(Boolean) ?? '';
}

/** The largest difference of two results' numbers, place by place; 0 where there is no other to compare with. */
export function distance(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b);
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return 0;
  return Math.max(0, ...Object.keys(a).map((key) => distance(a[key], b[key])));
}

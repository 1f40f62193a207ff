// Compares values as the suite's own runner does: types and shapes alike, floats within a tolerance, the rest exactly.
import { isFloat, valuesOf } from './dtypes.mjs';

const kindOf = (value) => {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a sequence';
  return value instanceof Map ? 'a map' : 'a tensor';
};

// |a - b| <= atol + rtol |b|; NaN equals NaN and infinities equal themselves.
function near(a, b, { rtol, atol }) {
  if (!Number.isFinite(b)) return Object.is(a, b);
  return Math.abs(a - b) <= atol + rtol * Math.abs(b);
}

function compareTensors(actual, expected, tolerance) {
  if (actual.type !== expected.type) return `is ${actual.type}, not ${expected.type}`;
  if (String(actual.dims) !== String(expected.dims)) return `has the shape [${actual.dims}], not [${expected.dims}]`;
  if (actual.data.length !== expected.data.length) {
    return `has ${actual.data.length} values in its array, not ${expected.data.length}`;
  }
  if (tolerance.typesOnly) return '';
  const count = expected.dims.reduce((a, b) => a * b, 1);
  const a = valuesOf(actual.type, actual.data, count);
  const b = valuesOf(expected.type, expected.data, count);
  const exact = !isFloat(expected.type);
  for (let i = 0; i < b.length; i++) {
    if (exact ? a[i] !== b[i] : !near(a[i], b[i], tolerance)) return `[${i}] is ${a[i]}, not ${b[i]}`;
  }
  return '';
}

/**
 * What is wrong with `actual`, '' where nothing is. Tensors are {type, dims, data}, sequences arrays, maps Map, an empty
 * optional null. `tolerance` is {rtol, atol}, or {typesOnly: true} where values do not count.
 */
export function compareValues(actual, expected, tolerance) {
  const kind = kindOf(expected);
  if (kindOf(actual) !== kind) return `is ${kindOf(actual)}, not ${kind}`;
  if (kind === 'nothing') return '';
  if (kind === 'a tensor') return compareTensors(actual, expected, tolerance);
  const size = (value) => value.size ?? value.length;
  if (size(actual) !== size(expected)) return `has ${size(actual)} elements, not ${size(expected)}`;
  for (const [key, value] of expected.entries()) {
    if (kind === 'a map' && !actual.has(key)) return `has no key ${key}`;
    const problem = compareValues(kind === 'a map' ? actual.get(key) : actual[key], value, tolerance);
    if (problem) return `element ${key} ${problem}`;
  }
  return '';
}

// How far two values are from each other: floats within a tolerance, everything else exactly.
import { OnnxError } from '../errors.js';
import { Tensor } from '../tensor.js';
import type { OnnxValue, Scalar } from '../values.js';
import { elementsOf, isFloat } from './numbers.js';
import type { Difference, OutputDifference, Tolerance } from './run_types.js';

const kRtol = 1e-3;
const kAtol = 1e-5;

type Value = OnnxValue | Scalar | undefined;

const same = (problem?: string): Difference => ({
  maxAbs: 0,
  maxRel: 0,
  ...(problem === undefined ? {} : { problem }),
});

function kindOf(value: Value): string {
  if (value === null || value === undefined) return 'nothing';
  if (value instanceof Tensor) return 'a tensor';
  if (Array.isArray(value)) return 'a sequence';
  return value instanceof Map ? 'a map' : 'a scalar';
}

/** The indices of element i. */
function placeOf(i: number, dims: readonly number[]): number[] {
  let rest = i;
  const place = dims.map(() => 0);
  for (let d = dims.length - 1; d >= 0; d--) {
    place[d] = rest % (dims[d] as number);
    rest = Math.floor(rest / (dims[d] as number));
  }
  return place;
}

// |a - b| <= atol + rtol |b|; NaN equals NaN and infinities equal themselves.
function near(a: number, b: number, { rtol = kRtol, atol = kAtol }: Tolerance): boolean {
  return Number.isFinite(b) ? Math.abs(a - b) <= atol + rtol * Math.abs(b) : Object.is(a, b);
}

function compareTensors(actual: Tensor, expected: Tensor, tolerance: Tolerance): Difference {
  const { type, dims } = expected;
  if (actual.type !== type) return same(`is ${actual.type}, not ${type}`);
  if (String(actual.dims) !== String(dims)) return same(`has the shape [${actual.dims}], not [${dims}]`);
  const [a, b] = [elementsOf(actual), elementsOf(expected)];
  const exact = !isFloat(type);
  let maxAbs = 0;
  let maxRel = 0;
  let at = -1;
  for (let i = 0; i < b.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    const agrees = exact ? x === y : near(x, y, tolerance);
    if (at < 0 && !agrees) at = i;
    if (x === y || type === 'string') continue;
    const distance = Math.abs(Number(x) - Number(y));
    if (!Number.isFinite(distance)) continue;
    maxAbs = Math.max(maxAbs, distance);
    if (Number(y) !== 0) maxRel = Math.max(maxRel, distance / Math.abs(Number(y)));
  }
  if (at < 0) return { maxAbs, maxRel };
  const parts = type.startsWith('complex') ? 2 : 1;
  const index = placeOf(Math.floor(at / parts), dims);
  const problem = `[${index.join(', ')}] is ${a[at]}, not ${b[at]}`;
  return { problem, maxAbs, maxRel, first: { index, actual: a[at], expected: b[at] } };
}

/** How `actual` differs from `expected`, to the last element. */
export function compareValues(actual: Value, expected: Value, tolerance: Tolerance = {}): Difference {
  const kind = kindOf(expected);
  if (kindOf(actual) !== kind) return same(`is ${kindOf(actual)}, not ${kind}`);
  if (expected instanceof Tensor) return compareTensors(actual as Tensor, expected, tolerance);
  if (kind === 'nothing') return same();
  if (kind === 'a scalar') return same(actual === expected ? undefined : `is ${actual}, not ${expected}`);
  const pairs = (value: Value): [unknown, Value][] =>
    Array.isArray(value) ? [...value.entries()] : [...(value as ReadonlyMap<string, OnnxValue | Scalar>)];
  const theirs = pairs(expected);
  const ours = new Map(pairs(actual));
  if (ours.size !== theirs.length) return same(`has ${ours.size} elements, not ${theirs.length}`);
  let worst = same();
  for (const [key, value] of theirs) {
    if (!ours.has(key)) return { ...worst, problem: `has no key ${key}` };
    const { problem, maxAbs, maxRel, first } = compareValues(ours.get(key), value, tolerance);
    worst = {
      ...worst,
      maxAbs: Math.max(worst.maxAbs, maxAbs),
      maxRel: Math.max(worst.maxRel, maxRel),
      ...(problem && !worst.problem ? { problem: `element ${key} ${problem}`, ...(first ? { first } : {}) } : {}),
    };
  }
  return worst;
}

type Results = { readonly [name: string]: OnnxValue };

/**
 * How the results of two runs differ, output by output: those of one name, or in their order where the names differ.
 * @throws OnnxError (invalid_argument) where they are not as many
 */
export function compareResults(a: Results, b: Results, tolerance: Tolerance = {}): OutputDifference[] {
  const [ours, theirs] = [Object.keys(a), Object.keys(b)];
  if (ours.length !== theirs.length) {
    const counts = `${ours.length} outputs and ${theirs.length}`;
    throw new OnnxError('invalid_argument', `the results have ${counts}: they cannot be compared`);
  }
  const byName = ours.every((name) => name in b);
  return ours.map((name, i) => {
    const other = byName ? name : (theirs[i] as string);
    const difference = compareValues(a[name], b[other], tolerance);
    const same = difference.problem === undefined;
    return { name, ...(other === name ? {} : { other }), same, ...difference };
  });
}

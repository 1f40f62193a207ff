// Values of every element type for the rows: numbers in, the API's arrays out, made the same every time.
import { arrayLength, decodeFloat, isFloat, kTypes } from '../conformance/dtypes.mjs';
import { lcg } from '../models/feeds.mjs';

const byName = new Map(kTypes.filter(Boolean).map((type) => [type.name, type]));
export const bitsOf = (type) => byName.get(type).bits;
export const isCoded = (type) => /^(float16|bfloat16|float8|float4)/.test(type);
export const isWhole = (type) => /^u?int/.test(type);
export const isSigned = (type) => /^int/.test(type);
export const product = (dims) => dims.reduce((a, b) => a * b, 1);

const codes = new Map(); // type -> its finite values with their codes, ascending

function codesOf(type) {
  if (!codes.has(type)) {
    const list = Array.from({ length: 2 ** bitsOf(type) }, (_, code) => [decodeFloat(type, code), code]);
    const finite = list.filter(([v, code]) => Number.isFinite(v) && !(v === 0 && code !== 0));
    const nan = list.find(([v]) => Number.isNaN(v))?.[1];
    const special = new Map(list.filter(([v]) => !Number.isFinite(v) || Object.is(v, -0)));
    codes.set(type, { finite: finite.sort((a, b) => a[0] - b[0]), special, nan });
  }
  return codes.get(type);
}

/** The code of the value of a small float type that is nearest, the even one of two; too large: infinity, or the largest. */
export function encodeFloat(type, value) {
  const { finite, special, nan } = codesOf(type);
  if (Number.isNaN(value)) return nan ?? 0;
  if (value === 0) return (Object.is(value, -0) && special.get(0)) || 0; // a Map has one key for both zeros
  if (special.has(value)) return special.get(value);
  let low = 0;
  let high = finite.length - 1;
  const top = finite[high][0];
  const step = top - finite[high - 1][0];
  if (Math.abs(value) >= top + step / 2 && special.has(Infinity)) return special.get(Math.sign(value) * Infinity);
  if (value >= top) return finite[high][1];
  if (value <= finite[0][0]) return finite[0][1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (finite[middle][0] <= value) low = middle;
    else high = middle;
  }
  const below = value - finite[low][0];
  const above = finite[high][0] - value;
  if (below !== above) return finite[below < above ? low : high][1];
  return finite[finite[low][1] % 2 === 0 ? low : high][1];
}

function packBits(type, list) {
  const bits = bitsOf(type);
  const bytes = new Uint8Array(arrayLength(type, list.length));
  for (const [i, v] of list.entries()) {
    const code = isCoded(type) ? encodeFloat(type, v) : Number(v) & ((1 << bits) - 1);
    bytes[(i * bits) >> 3] |= code << ((i * bits) & 7);
  }
  return bytes;
}

/** A value {type, dims, data} from numbers, bigints, texts; complex from pairs. Integers wrap around. */
export function tensor(type, dims, list) {
  const { array, bits } = byName.get(type);
  const count = type.startsWith('complex') ? 2 * product(dims) : product(dims);
  if (list.length !== count) throw new Error(`${type} [${dims}] of ${list.length} values`);
  if (type === 'string') return { type, dims, data: list.map(String) };
  if (bits < 8) return { type, dims, data: packBits(type, list) };
  if (isCoded(type)) return { type, dims, data: array.from(list, (v) => encodeFloat(type, Number(v))) };
  if (bits === 64 && isWhole(type)) return { type, dims, data: array.from(list, (v) => BigInt(v)) };
  return { type, dims, data: array.from(list, Number) };
}

const kSpecial = [Number.NaN, Infinity, -Infinity, -0, 0, 1, -1, 3e38, -1e-40, 0.5, -2.5, 65504];

/** The range of an integer type, as bigints. */
export function rangeOf(type) {
  const bits = BigInt(bitsOf(type));
  return isSigned(type) ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
}

function specialOf(type, i) {
  if (!isWhole(type)) return kSpecial[i % kSpecial.length];
  const [min, max] = rangeOf(type);
  return [min, max, 0n, 1n, min + 1n, max - 1n, isSigned(type) ? -1n : 2n, 3n][i % 8];
}

// One value of a kind; r() is in 0..1. All floats are multiples of 1/8, which every type of 16 bits holds exactly.
function one(kind, type, r, i) {
  const whole = (low, high) => low + Math.floor(r() * (high - low + 1));
  if (kind === 'special') return specialOf(type, i);
  if (kind === 'index') return i;
  if (type === 'bool') return whole(0, 1);
  const integer = isWhole(type);
  if (kind === 'positive') return integer ? whole(1, Math.min(6, Number(rangeOf(type)[1]))) : whole(1, 24) / 8;
  if (kind === 'unit') return whole(-7, 7) / 8;
  if (kind === 'fraction') return whole(1, 7) / 8;
  if (kind === 'byte') return whole(isSigned(type) ? -128 : 0, isSigned(type) ? 127 : 255);
  if (kind === 'wide') return integer ? whole(isSigned(type) ? -90 : 0, 90) : whole(-800, 800) / 8;
  if (!integer) return whole(-24, 24) / 8;
  const [min, max] = rangeOf(type);
  return whole(Math.max(-3, Number(min)), Math.min(5, Number(max)));
}

let seed = 1;
/** Rows are made in order: each value has its own seed, the same in every process. */
export function restart(start) {
  seed = start;
}

/**
 * A value of a kind: small (-3..3), positive, unit (inside -1..1), fraction (inside 0..1), wide (-100..100), byte,
 * special (NaN, infinities, -0, the ends of the range), index (0, 1, 2...); or of the values given.
 */
export function make(type, dims, kind = 'small') {
  if (Array.isArray(kind)) return tensor(type, dims, kind);
  seed += 7919;
  const r = lcg(seed);
  for (let i = 0; i < 3; i++) r();
  const count = type.startsWith('complex') ? 2 * product(dims) : product(dims);
  const list = Array.from({ length: count }, (_, i) => one(kind, type === 'string' ? 'int32' : type, r, i));
  return tensor(type, dims, type === 'string' ? list.map((v) => `s${v}`) : list);
}

/** The numbers of a value: for types of up to 16 bits decoded, else as they lie in the array. */
export function numbersOf({ type, dims, data }) {
  const count = product(dims);
  const bits = bitsOf(type);
  if (bits > 0 && bits < 8) {
    const mask = (1 << bits) - 1;
    const list = Array.from({ length: count }, (_, i) => (data[(i * bits) >> 3] >> ((i * bits) & 7)) & mask);
    if (isCoded(type)) return list.map((code) => decodeFloat(type, code));
    return isSigned(type) ? list.map((code) => (code >> (bits - 1) ? code - (1 << bits) : code)) : list;
  }
  return isCoded(type) || type === 'float8e8m0' ? Array.from(data, (code) => decodeFloat(type, code)) : [...data];
}

/** The same values in another type. */
export const cast = (value, type) => tensor(type, value.dims, numbersOf(value));

export { isFloat };

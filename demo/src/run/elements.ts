// Elements of tensors: typed arrays from numbers, and numbers from what a session gives.
import type { PlainTensor } from '../engine/messages.js';

const kIntegers = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
} as const;
const kLongs = { int64: BigInt64Array, uint64: BigUint64Array } as const;
/** Exponent and mantissa bits. */
const kHalves = { float16: [5, 10], bfloat16: [8, 7] } as const;

const kFillable = ['float32', 'float64', 'bool', 'string', ...Object.keys({ ...kIntegers, ...kLongs, ...kHalves })];

/** Can this page make elements of the type? */
export const isFillable = (type: string): boolean => kFillable.includes(type);
export const isFloat = (type: string): boolean => type === 'float32' || type === 'float64' || type in kHalves;

const kBits = new Uint32Array(1);
const kFloat = new Float32Array(kBits.buffer);

/** The bits of a number in a small float format; cut off, not rounded. */
function smallFloatBits(value: number, [exponentBits, mantissaBits]: readonly [number, number]): number {
  kFloat[0] = value;
  const bits = kBits[0];
  const sign = (bits >>> 31) << (exponentBits + mantissaBits);
  const bias = 2 ** (exponentBits - 1) - 1;
  const exponent = ((bits >>> 23) & 255) - 127 + bias;
  if (exponent <= 0) return sign;
  const largest = 2 ** exponentBits - 1;
  if (exponent >= largest) return sign | (largest << mantissaBits);
  return sign | (exponent << mantissaBits) | ((bits & 0x7fffff) >>> (23 - mantissaBits));
}

/** A typed array (or strings) of `count` elements, element i being value(i). Throws Error for a type it has none for. */
export function arrayOf(
  type: string,
  count: number,
  value: (i: number) => number | bigint | string,
): PlainTensor['data'] {
  const number = (i: number) => Number(value(i));
  const long = (i: number) => {
    const given = value(i);
    return typeof given === 'bigint' ? given : BigInt(Math.trunc(Number(given)));
  };
  if (type === 'string') return Array.from({ length: count }, (_, i) => String(value(i)));
  if (type === 'int64') return kLongs.int64.from({ length: count }, (_, i) => long(i));
  if (type === 'uint64') return kLongs.uint64.from({ length: count }, (_, i) => long(i));
  const half = kHalves[type as keyof typeof kHalves];
  if (half) return Uint16Array.from({ length: count }, (_, i) => smallFloatBits(number(i), half));
  if (type === 'bool') return Uint8Array.from({ length: count }, (_, i) => (value(i) ? 1 : 0));
  const array =
    type === 'float32' ? Float32Array : type === 'float64' ? Float64Array : kIntegers[type as keyof typeof kIntegers];
  if (!array) throw new Error(`this page cannot fill ${type} inputs`);
  const made = new array(count);
  for (let i = 0; i < count; ++i) made[i] = number(i);
  return made;
}

/** float16 and bfloat16 bits as numbers. */
export function decodeHalf(type: string, bits: number): number {
  if (type === 'bfloat16') {
    kBits[0] = bits << 16;
    return kFloat[0];
  }
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

export type Numbers = ArrayLike<number> | BigInt64Array | BigUint64Array;

/** The elements as numbers (bigints stay), or undefined for text, packed and opaque types. */
export function numbersOf({ type, data }: PlainTensor): Numbers | undefined {
  if (type === 'string' || /^(float8|float4|u?int[24]$|complex)/.test(type)) return undefined;
  if (data instanceof Uint16Array && type.endsWith('float16')) {
    return Float32Array.from(data, (x) => decodeHalf(type, x));
  }
  return data as Numbers;
}

export interface Statistics {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly deviation: number;
  /** How many are NaN or infinite. */
  readonly strange: number;
}

export function statistics(numbers: Numbers): Statistics {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let squares = 0;
  let strange = 0;
  for (let i = 0; i < numbers.length; ++i) {
    const value = Number(numbers[i]);
    if (!Number.isFinite(value)) {
      ++strange;
      continue;
    }
    if (value < min) min = value;
    if (value > max) max = value;
    sum += value;
    squares += value * value;
  }
  const count = numbers.length - strange || 1;
  const mean = sum / count;
  return { min, max, mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)), strange };
}

/** How many elements lie in each of `bins` equal parts of [min, max]. */
export function histogram(numbers: Numbers, { min, max }: Statistics, bins: number): number[] {
  const counts = new Array<number>(bins).fill(0);
  const scale = max > min ? bins / (max - min) : 0;
  for (let i = 0; i < numbers.length; ++i) {
    const at = Math.floor((Number(numbers[i]) - min) * scale);
    if (Number.isFinite(at)) ++counts[Math.max(0, Math.min(bins - 1, at))];
  }
  return counts;
}

export const countOf = (dims: readonly number[]): number => dims.reduce((a, b) => a * b, 1);

/** The place of element i, as '[0, 3]'. */
export function placeText(index: number, dims: readonly number[]): string {
  const place: number[] = [];
  let i = index;
  for (let d = dims.length - 1; d >= 0; --d) {
    place.unshift(i % dims[d]);
    i = Math.floor(i / dims[d]);
  }
  return `[${place.join(', ')}]`;
}

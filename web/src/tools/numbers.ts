// The elements of a tensor as JavaScript's numbers, whatever their type is.
import { bitsOf, dtypeNumber } from '../dtypes.js';
import type { Tensor } from '../tensor.js';

// Small floats (ONNX IR, "Float stored in 8 bits" and "4 bits"): bits of exponent and mantissa, bias, and what the topmost
// codes mean. ieee: infinities and NaN; fn: NaN in the last code of each sign; fnuz: NaN in the place of -0; finite: neither.
const kFloats: Readonly<Record<string, readonly [number, number, number, string]>> = {
  float16: [5, 10, 15, 'ieee'],
  bfloat16: [8, 7, 127, 'ieee'],
  float8e4m3fn: [4, 3, 7, 'fn'],
  float8e4m3fnuz: [4, 3, 8, 'fnuz'],
  float8e5m2: [5, 2, 15, 'ieee'],
  float8e5m2fnuz: [5, 2, 16, 'fnuz'],
  float4e2m1: [2, 1, 1, 'finite'],
};

/** The value of one code of a float type of up to 16 bits. */
export function decodeFloat(type: string, code: number): number {
  if (type === 'float8e8m0') return code === 255 ? Number.NaN : 2 ** (code - 127);
  const [exponent, mantissa, bias, top] = kFloats[type] as readonly [number, number, number, string];
  const sign = code >> (exponent + mantissa) ? -1 : 1;
  const magnitude = code & ((1 << (exponent + mantissa)) - 1);
  const e = magnitude >> mantissa;
  const m = magnitude & ((1 << mantissa) - 1);
  if (top === 'ieee' && e === (1 << exponent) - 1) return m ? Number.NaN : sign * Infinity;
  if (top === 'fn' && magnitude === (1 << (exponent + mantissa)) - 1) return Number.NaN;
  if (top === 'fnuz' && sign < 0 && magnitude === 0) return Number.NaN;
  const fraction = m / 2 ** mantissa;
  return sign * (e === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (e - bias));
}

/** Is the type compared within a tolerance, and can it hold NaN? */
export const isFloat = (type: string): boolean => type in kFloats || /^(float|complex)/.test(type);

type Elements = ArrayLike<number | bigint | string>;

function unpacked(type: string, data: ArrayLike<number>, count: number): number[] {
  const bits = bitsOf(type as Tensor.Type);
  const mask = (1 << bits) - 1;
  const codes = Array.from({ length: count }, (_, i) => ((data[(i * bits) >> 3] ?? 0) >> ((i * bits) & 7)) & mask);
  if (type in kFloats) return codes.map((code) => decodeFloat(type, code));
  return type.startsWith('int') ? codes.map((code) => (code >> (bits - 1) ? code - (1 << bits) : code)) : codes;
}

/** Numbers, bigints (64 bits) or strings, one per element; of complex numbers the real and the imaginary part of each. */
export function elementsOf(tensor: Tensor): Elements {
  const type: string = tensor.type;
  const data = tensor.data as Elements;
  const bits = bitsOf(tensor.type);
  if (bits > 0 && bits < 8) return unpacked(type, data as ArrayLike<number>, tensor.size);
  const coded = type in kFloats || type === 'float8e8m0';
  const isHalf = data.constructor.name === 'Float16Array';
  return coded && !isHalf ? Float32Array.from(data as ArrayLike<number>, (code) => decodeFloat(type, code)) : data;
}

/** The code of a number in float16 or bfloat16, rounded to the nearest, ties to even. */
export function encodeFloat(type: 'float16' | 'bfloat16', value: number): number {
  if (type === 'bfloat16') {
    const bits = new Uint32Array(Float32Array.of(value).buffer)[0] as number;
    return Number.isNaN(value) ? 0x7fc0 : ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
  }
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const x = Math.abs(value);
  if (Number.isNaN(x)) return 0x7e00;
  if (x >= 65520) return sign | 0x7c00;
  const exponent = Math.max(-14, Math.floor(Math.log2(x)));
  const scaled = x / 2 ** (exponent - 10); // 1024 to 2047 for normal numbers
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const mantissa = floor + (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? 1 : 0);
  return sign | (mantissa + ((exponent + 14) << 10));
}

/** Are the values of the type numbers or bigints that a typed array of JavaScript holds as they are? */
export const isPlainNumber = (type: string): boolean =>
  dtypeNumber(type) > 0 && !(type in kFloats) && bitsOf(type as Tensor.Type) >= 8 && type !== 'float8e8m0';

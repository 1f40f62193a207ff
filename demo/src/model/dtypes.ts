// Element types by their numbers in ONNX's files, and elements from their bytes.
import { decodeHalf } from '../run/elements.js';

export interface Dtype {
  readonly name: string;
  readonly bits: number;
}

const kBits: readonly (readonly [string, number])[] = [
  ['undefined', 0],
  ['float32', 32],
  ['uint8', 8],
  ['int8', 8],
  ['uint16', 16],
  ['int16', 16],
  ['int32', 32],
  ['int64', 64],
  ['string', 0],
  ['bool', 8],
  ['float16', 16],
  ['float64', 64],
  ['uint32', 32],
  ['uint64', 64],
  ['complex64', 64],
  ['complex128', 128],
  ['bfloat16', 16],
  ['float8e4m3fn', 8],
  ['float8e4m3fnuz', 8],
  ['float8e5m2', 8],
  ['float8e5m2fnuz', 8],
  ['uint4', 4],
  ['int4', 4],
  ['float4e2m1', 4],
  ['float8e8m0', 8],
  ['uint2', 2],
  ['int2', 2],
];
/** By TensorProto.DataType. */
export const kDtypes: readonly Dtype[] = kBits.map(([name, bits]) => ({ name, bits }));

const kArrays = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
} as const;

/** Fields of `bits` bits, the lowest first, with their sign where they have one. */
function packed(bytes: Uint8Array, bits: number, signed: boolean): Int8Array {
  const per = 8 / bits;
  const values = new Int8Array(bytes.length * per);
  const [mask, half] = [(1 << bits) - 1, 1 << (bits - 1)];
  for (let i = 0; i < values.length; ++i) {
    const field = (bytes[Math.floor(i / per)] >> (bits * (i % per))) & mask;
    values[i] = signed && field >= half ? field - 2 * half : field;
  }
  return values;
}

/** The shortest decimal number that is this float32: 0.1, not 0.10000000149011612. */
export function shortest(float: number): number {
  for (let digits = 6; digits < 9; ++digits) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return short;
  }
  return Number(float.toPrecision(9));
}

/** Elements from their bytes, little-endian; undefined for types that are no plain numbers (text, complex, 8-bit floats). */
export function elementsOf(
  dtype: string,
  bytes: Uint8Array,
): ArrayLike<number> | BigInt64Array | BigUint64Array | undefined {
  const array = kArrays[dtype as keyof typeof kArrays];
  const copy = () => bytes.slice().buffer;
  if (array) return new array(copy(), 0, Math.floor(bytes.length / array.BYTES_PER_ELEMENT));
  if (dtype === 'float16' || dtype === 'bfloat16') {
    const halves = new Uint16Array(copy(), 0, bytes.length >> 1);
    return Float32Array.from(halves, (bits) => decodeHalf(dtype, bits));
  }
  const small = /^(u?)int([24])$/.exec(dtype);
  return small ? packed(bytes, Number(small[2]), small[1] === '') : undefined;
}

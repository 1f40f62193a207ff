// ONNX's element types: the name of each in the API, its typed array, and its values as JavaScript numbers.

/**
 * By TensorProto.DataType: name, bits of one element, the typed array that carries it, the field of the typed encoding.
 * Types of less than 8 bits are packed, the first element in the lowest bits; complex is pairs (real, imaginary).
 */
export const kTypes = [
  undefined,
  { name: 'float32', bits: 32, array: Float32Array, field: 'float_data' },
  { name: 'uint8', bits: 8, array: Uint8Array, field: 'int32_data' },
  { name: 'int8', bits: 8, array: Int8Array, field: 'int32_data' },
  { name: 'uint16', bits: 16, array: Uint16Array, field: 'int32_data' },
  { name: 'int16', bits: 16, array: Int16Array, field: 'int32_data' },
  { name: 'int32', bits: 32, array: Int32Array, field: 'int32_data' },
  { name: 'int64', bits: 64, array: BigInt64Array, field: 'int64_data' },
  { name: 'string', bits: 0, array: Array, field: 'string_data' },
  { name: 'bool', bits: 8, array: Uint8Array, field: 'int32_data' },
  { name: 'float16', bits: 16, array: Uint16Array, field: 'int32_data' },
  { name: 'float64', bits: 64, array: Float64Array, field: 'double_data' },
  { name: 'uint32', bits: 32, array: Uint32Array, field: 'uint64_data' },
  { name: 'uint64', bits: 64, array: BigUint64Array, field: 'uint64_data' },
  { name: 'complex64', bits: 64, array: Float32Array, field: 'float_data' },
  { name: 'complex128', bits: 128, array: Float64Array, field: 'double_data' },
  { name: 'bfloat16', bits: 16, array: Uint16Array, field: 'int32_data' },
  { name: 'float8e4m3fn', bits: 8, array: Uint8Array, field: 'int32_data' },
  { name: 'float8e4m3fnuz', bits: 8, array: Uint8Array, field: 'int32_data' },
  { name: 'float8e5m2', bits: 8, array: Uint8Array, field: 'int32_data' },
  { name: 'float8e5m2fnuz', bits: 8, array: Uint8Array, field: 'int32_data' },
  { name: 'uint4', bits: 4, array: Uint8Array, field: 'int32_data' },
  { name: 'int4', bits: 4, array: Uint8Array, field: 'int32_data' },
  { name: 'float4e2m1', bits: 4, array: Uint8Array, field: 'int32_data' },
  { name: 'float8e8m0', bits: 8, array: Uint8Array, field: 'int32_data' },
  { name: 'uint2', bits: 2, array: Uint8Array, field: 'int32_data' },
  { name: 'int2', bits: 2, array: Uint8Array, field: 'int32_data' },
];

const byName = new Map(kTypes.filter(Boolean).map((type) => [type.name, type]));

// Small floats: exponent and mantissa bits, bias, and what the topmost codes mean. ieee: infinities and NaN; fn: NaN in
// the last code of each sign only; fnuz: NaN in the place of -0 only; finite: neither.
const kFloats = {
  float16: { exponent: 5, mantissa: 10, bias: 15, top: 'ieee' },
  bfloat16: { exponent: 8, mantissa: 7, bias: 127, top: 'ieee' },
  float8e4m3fn: { exponent: 4, mantissa: 3, bias: 7, top: 'fn' },
  float8e4m3fnuz: { exponent: 4, mantissa: 3, bias: 8, top: 'fnuz' },
  float8e5m2: { exponent: 5, mantissa: 2, bias: 15, top: 'ieee' },
  float8e5m2fnuz: { exponent: 5, mantissa: 2, bias: 16, top: 'fnuz' },
  float4e2m1: { exponent: 2, mantissa: 1, bias: 1, top: 'finite' },
};

/** The value of one code of a float type of up to 16 bits. */
export function decodeFloat(name, code) {
  if (name === 'float8e8m0') return code === 255 ? Number.NaN : 2 ** (code - 127);
  const { exponent, mantissa, bias, top } = kFloats[name];
  const sign = code >> (exponent + mantissa) ? -1 : 1;
  const magnitude = code & ((1 << (exponent + mantissa)) - 1);
  const e = magnitude >> mantissa;
  const m = magnitude & ((1 << mantissa) - 1);
  const last = (1 << exponent) - 1;
  if (top === 'ieee' && e === last) return m ? Number.NaN : sign * Infinity;
  if (top === 'fn' && magnitude === (1 << (exponent + mantissa)) - 1) return Number.NaN;
  if (top === 'fnuz' && sign < 0 && magnitude === 0) return Number.NaN;
  const fraction = m / 2 ** mantissa;
  return sign * (e === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (e - bias));
}

const isFloat16Array = (data) => data.constructor.name === 'Float16Array';

/** Is the type compared within a tolerance? */
export const isFloat = (name) => name in kFloats || /^(float|complex)/.test(name);

/** The length that the API's array for `count` elements of a type has. */
export function arrayLength(name, count) {
  const { bits } = byName.get(name);
  if (name.startsWith('complex')) return 2 * count;
  return bits > 0 && bits < 8 ? Math.ceil((count * bits) / 8) : count;
}

/** The values of an API array: numbers, bigints or strings that compare by value; complex as pairs of numbers. */
export function valuesOf(name, data, count) {
  const { bits } = byName.get(name);
  if (bits > 0 && bits < 8) {
    const mask = (1 << bits) - 1;
    const codes = Array.from({ length: count }, (_, i) => (data[(i * bits) >> 3] >> ((i * bits) & 7)) & mask);
    if (name in kFloats) return codes.map((code) => decodeFloat(name, code));
    return name.startsWith('int') ? codes.map((code) => (code >> (bits - 1) ? code - (1 << bits) : code)) : codes;
  }
  const coded = name in kFloats || name === 'float8e8m0';
  return coded && !isFloat16Array(data) ? Array.from(data, (code) => decodeFloat(name, code)) : data;
}

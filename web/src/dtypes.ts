// Element types: ONNX's numbers, their JavaScript names, and the typed arrays that hold them.
import type { Tensor } from './tensor_types.js';

export type NumericArray = Exclude<Tensor.DataType, string[]>;
// biome-ignore lint/suspicious/noExplicitAny: the constructors have no common type in TypeScript's libraries
export type NumericArrayConstructor = { new (...args: any[]): NumericArray; BYTES_PER_ELEMENT: number; name: string };

interface Row {
  readonly name: Tensor.Type;
  /** Bits of an element; 0 for strings. */
  readonly bits: number;
  readonly array: NumericArrayConstructor | undefined;
}

const kRows: readonly (Row | undefined)[] = [
  undefined,
  { name: 'float32', bits: 32, array: Float32Array },
  { name: 'uint8', bits: 8, array: Uint8Array },
  { name: 'int8', bits: 8, array: Int8Array },
  { name: 'uint16', bits: 16, array: Uint16Array },
  { name: 'int16', bits: 16, array: Int16Array },
  { name: 'int32', bits: 32, array: Int32Array },
  { name: 'int64', bits: 64, array: BigInt64Array },
  { name: 'string', bits: 0, array: undefined },
  { name: 'bool', bits: 8, array: Uint8Array },
  { name: 'float16', bits: 16, array: Uint16Array },
  { name: 'float64', bits: 64, array: Float64Array },
  { name: 'uint32', bits: 32, array: Uint32Array },
  { name: 'uint64', bits: 64, array: BigUint64Array },
  { name: 'complex64', bits: 64, array: Float32Array },
  { name: 'complex128', bits: 128, array: Float64Array },
  { name: 'bfloat16', bits: 16, array: Uint16Array },
  { name: 'float8e4m3fn', bits: 8, array: Uint8Array },
  { name: 'float8e4m3fnuz', bits: 8, array: Uint8Array },
  { name: 'float8e5m2', bits: 8, array: Uint8Array },
  { name: 'float8e5m2fnuz', bits: 8, array: Uint8Array },
  { name: 'uint4', bits: 4, array: Uint8Array },
  { name: 'int4', bits: 4, array: Uint8Array },
  { name: 'float4e2m1', bits: 4, array: Uint8Array },
  { name: 'float8e8m0', bits: 8, array: Uint8Array },
  { name: 'uint2', bits: 2, array: Uint8Array },
  { name: 'int2', bits: 2, array: Uint8Array },
];

const kNumbers: ReadonlyMap<string, number> = new Map(kRows.map((row, number) => [row?.name ?? '', number]));

/** The number of TensorProto.DataType; 0 if there is no such type. */
export function dtypeNumber(type: string): number {
  return kNumbers.get(type) ?? 0;
}

/** The name of a number of TensorProto.DataType; undefined for 0. */
export function dtypeName(number: number): Tensor.Type | undefined {
  return kRows[number]?.name;
}

export function isDType(type: unknown): type is Tensor.Type {
  return typeof type === 'string' && dtypeNumber(type) !== 0;
}

/** Elements of a type as stored, in bits; complex numbers count as one element. */
export function bitsOf(type: Tensor.Type): number {
  return kRows[dtypeNumber(type)]?.bits ?? 0;
}

/** Float16Array where the engine has it. */
export function float16Array(): NumericArrayConstructor | undefined {
  return (globalThis as { Float16Array?: NumericArrayConstructor }).Float16Array;
}

/** The typed array of a type; undefined for strings. For float16 it is Float16Array where the engine has that. */
export function arrayOf(type: Tensor.Type): NumericArrayConstructor | undefined {
  return type === 'float16' ? (float16Array() ?? Uint16Array) : kRows[dtypeNumber(type)]?.array;
}

/** How long the array of a tensor of `size` elements is: complex takes two places each, sub-byte types are packed. */
export function arrayLength(type: Tensor.Type, size: number): number {
  const bits = bitsOf(type);
  if (bits === 0) return size;
  const array = arrayOf(type) as NumericArrayConstructor;
  return Math.ceil((size * bits) / (8 * array.BYTES_PER_ELEMENT));
}

/** May several elements share a byte? */
export function isPacked(type: Tensor.Type): boolean {
  const bits = bitsOf(type);
  return bits > 0 && bits < 8;
}

/** Bits that are no numbers of JavaScript: they cannot be made from a number[]. */
export function isOpaque(type: Tensor.Type): boolean {
  return isPacked(type) || type === 'bfloat16' || type.startsWith('float8') || (type === 'float16' && !float16Array());
}

/** The type that a typed array holds where none is named. */
export function typeOfArray(data: unknown): Tensor.Type | undefined {
  const half = float16Array();
  if (half && data instanceof half) return 'float16';
  if (data instanceof Uint8ClampedArray) return 'uint8';
  const row = kRows.find((row) => row?.array && row.name !== 'bool' && data instanceof row.array);
  return row?.name;
}

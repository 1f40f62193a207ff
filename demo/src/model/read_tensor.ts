// TensorProto and TypeProto as descriptions.
import type { TensorDescription, TypeDescription } from '../../../web/src/tools/types.js';
import { decodeHalf } from '../run/elements.js';
import { elementsOf, kDtypes, shortest } from './dtypes.js';
import { Fields, type Schema } from './wire.js';

const kTensor: Schema = {
  1: 'int64',
  2: 'int32',
  4: 'float',
  5: 'int32',
  6: 'string',
  7: 'int64',
  8: 'string',
  9: 'bytes',
  10: 'double',
  11: 'uint64',
  12: 'string',
  13: 'bytes',
  14: 'int32',
};
const kShown = 64;

export const dtypeOf = (code: number): string => kDtypes[code]?.name ?? 'undefined';

/** A number that JSON has too; others as text. */
function plain(value: unknown, float: boolean): number | string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (!Number.isFinite(value)) return String(value);
  return float ? shortest(value as number) : (value as number);
}

function externalOf(fields: Fields): TensorDescription['external'] {
  const entries = fields.all<Uint8Array>(13).map((bytes) => new Fields(bytes, { 1: 'string', 2: 'string' }));
  const found = Object.fromEntries(entries.map((entry) => [entry.text(1), entry.text(2)]));
  const length = found.length === undefined ? null : Number(found.length);
  return { location: found.location ?? '', offset: Number(found.offset ?? 0), length };
}

export function readTensor(bytes: Uint8Array): TensorDescription {
  const fields = new Fields(bytes, kTensor);
  const code = fields.number(2);
  const shape = fields.all<unknown>(1).map(Number);
  const count = shape.reduce((a, b) => a * b, 1);
  const size = Math.ceil((count * (kDtypes[code]?.bits ?? 0)) / 8);
  const base = { name: fields.text(8), dtype: dtypeOf(code), shape, bytes: size };
  const doc = fields.text(12) ? { docString: fields.text(12) } : {};
  if (fields.number(14) === 1) return { ...base, ...doc, external: externalOf(fields) };
  const shown = (value: unknown) => plain(value, base.dtype !== 'float64');
  const raw = fields.bytes(9);
  if (raw && raw.length > 0) {
    const range = { offset: raw.byteOffset, length: raw.length };
    const values = count <= kShown ? elementsOf(base.dtype, raw) : undefined;
    return { ...base, ...doc, range, ...(values ? { values: Array.from(values as ArrayLike<number>, shown) } : {}) };
  }
  const typed = [6, 4, 7, 10, 11, 5].find((field) => fields.has(field));
  if (count === 0) return { ...base, ...doc, values: [] };
  if (typed === undefined || count > kShown) return { ...base, ...doc };
  const values = fields.all<unknown>(typed);
  if (base.dtype === 'float16' || base.dtype === 'bfloat16') {
    return { ...base, ...doc, values: values.map((bits) => shown(decodeHalf(base.dtype, Number(bits) & 0xffff))) };
  }
  // Smaller ones lie several in one number, or are floats by their bits.
  return /int[24]$|^float[48]/.test(base.dtype) ? { ...base, ...doc } : { ...base, ...doc, values: values.map(shown) };
}

export function readSparse(bytes: Uint8Array): TensorDescription {
  const fields = new Fields(bytes, { 1: 'bytes', 3: 'int64' });
  const { name, dtype, bytes: size } = readTensor(fields.bytes(1) ?? new Uint8Array());
  return { name, dtype, shape: fields.all<unknown>(3).map(Number), bytes: size, sparse: true };
}

function shapeOf(bytes: Uint8Array | undefined): (number | string | null)[] | null {
  if (!bytes) return null;
  return new Fields(bytes, { 1: 'bytes' }).all<Uint8Array>(1).map((part) => {
    const dim = new Fields(part, { 1: 'int64', 2: 'string' });
    return dim.has(1) ? dim.number(1) : dim.text(2) || null;
  });
}

/** Null for opaque types, and where the file says nothing. */
export function readType(bytes: Uint8Array | undefined, depth = 0): TypeDescription | null {
  if (!bytes || depth > 16) return null;
  const fields = new Fields(bytes, { 1: 'bytes', 4: 'bytes', 5: 'bytes', 8: 'bytes', 9: 'bytes' });
  const tensor = fields.bytes(1) ?? fields.bytes(8);
  if (tensor) {
    const inner = new Fields(tensor, { 1: 'int32', 2: 'bytes' });
    const kind = fields.has(1) ? 'tensor' : 'sparse_tensor';
    return { kind, dtype: dtypeOf(inner.number(1)), shape: shapeOf(inner.bytes(2)) };
  }
  const held = fields.bytes(4) ?? fields.bytes(9);
  if (held) {
    const element = readType(new Fields(held, { 1: 'bytes' }).bytes(1), depth + 1);
    return { kind: fields.has(4) ? 'sequence' : 'optional', element };
  }
  const map = fields.bytes(5);
  if (!map) return null;
  const inner = new Fields(map, { 1: 'int32', 2: 'bytes' });
  return { kind: 'map', key: dtypeOf(inner.number(1)), element: readType(inner.bytes(2), depth + 1) };
}

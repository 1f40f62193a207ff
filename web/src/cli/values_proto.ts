// ONNX's files of values, as its test data have them: TensorProto, SequenceProto, MapProto, OptionalProto (onnx.proto).
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { arrayOf, dtypeName } from '../dtypes.js';
import { type OnnxValue, Tensor } from '../index.js';

/** The fields of a message by number; of repeated ones every value that comes, packed or not. */
type Fields = ReadonlyMap<number, readonly unknown[]>;
type Kind = 'int32' | 'int64' | 'uint64' | 'float' | 'double' | 'bytes';
type Schema = Readonly<Record<number, Kind>>;

const kTensor: Schema = {
  1: 'int64', // dims
  2: 'int32', // data_type
  4: 'float', // float_data
  5: 'int32', // int32_data
  6: 'bytes', // string_data
  7: 'int64', // int64_data
  9: 'bytes', // raw_data
  10: 'double', // double_data
  11: 'uint64', // uint64_data
  14: 'int32', // data_location
};
// elem_type, then tensors, sparse tensors, sequences, maps, optionals: in sequences and in optionals alike.
const kHolder: Schema = { 2: 'int32', 3: 'bytes', 5: 'bytes', 6: 'bytes', 7: 'bytes' };
const kMap: Schema = { 2: 'int32', 3: 'int64', 4: 'bytes', 5: 'bytes' };
const kDepth = 32;

function fieldsOf(bytes: Uint8Array, schema: Schema): Fields {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, unknown[]>();
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    const kind = schema[number];
    if (kind === undefined) {
      reader.skip(wire, number);
      continue;
    }
    const list = fields.get(number) ?? [];
    fields.set(number, list);
    if (kind !== 'bytes' && wire === WireType.LengthDelimited) {
      for (const end = reader.uint32() + reader.pos; reader.pos < end; ) list.push(reader[kind]());
    } else list.push(reader[kind]());
  }
  return fields;
}

const numberAt = (fields: Fields, field: number): number => Number(fields.get(field)?.at(-1) ?? 0);
const bytesAt = (fields: Fields, field: number): readonly Uint8Array[] => (fields.get(field) ?? []) as Uint8Array[];
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The field of a typed encoding, by the name of the type; all others lie in int32_data, as numbers or as their codes. */
const kFields: Readonly<Record<string, number>> = {
  float32: 4,
  complex64: 4,
  int64: 7,
  float64: 10,
  complex128: 10,
  uint32: 11,
  uint64: 11,
};

function tensorOf(bytes: Uint8Array): Tensor {
  const fields = fieldsOf(bytes, kTensor);
  const type = dtypeName(numberAt(fields, 2));
  if (!type) throw new Error(`data_type ${numberAt(fields, 2)} is no element type`);
  if (numberAt(fields, 14) === 1) throw new Error('its data are in another file, which is not read here');
  const dims = (fields.get(1) ?? []).map(Number);
  if (type === 'string') {
    return new Tensor(
      type,
      bytesAt(fields, 6).map((text) => utf8.decode(text)),
      dims,
    );
  }
  const array = arrayOf(type) as NonNullable<ReturnType<typeof arrayOf>>;
  const raw = fields.get(9)?.at(-1) as Uint8Array | undefined;
  if (raw && raw.length > 0) {
    if (raw.length % array.BYTES_PER_ELEMENT !== 0) throw new Error(`raw_data has ${raw.length} bytes`);
    return new Tensor(type, new array(new Uint8Array(raw).buffer), dims);
  }
  const values = fields.get(kFields[type] ?? 5) ?? [];
  if (type === 'int64' || type === 'uint64') return new Tensor(type, new array((values as bigint[]).map(BigInt)), dims);
  const numbers = values.map(Number);
  // Codes, not values: Float16Array would convert them.
  const data = type === 'float16' ? new array(Uint16Array.from(numbers).buffer) : new array(numbers);
  return new Tensor(type, data, dims);
}

function mapOf(bytes: Uint8Array, depth: number): OnnxValue {
  const fields = fieldsOf(bytes, kMap);
  const text = bytesAt(fields, 4).map((key) => utf8.decode(key));
  const keys: (string | bigint)[] = text.length > 0 ? text : ((fields.get(3) ?? []) as bigint[]).map(BigInt);
  const values = sequenceOf(bytesAt(fields, 5).at(-1) ?? new Uint8Array(), depth + 1);
  return new Map(keys.map((key, i) => [key, values[i] ?? null]));
}

// SequenceProto's and OptionalProto's elem_type: 1 tensor, 3 sequence, 4 map, 5 optional; the field follows from it.
function heldBy(bytes: Uint8Array, depth: number): OnnxValue[] {
  if (depth > kDepth) throw new Error(`it is nested more than ${kDepth} deep`);
  const fields = fieldsOf(bytes, kHolder);
  const type = numberAt(fields, 2);
  const readers: Readonly<Record<number, (item: Uint8Array) => OnnxValue>> = {
    1: tensorOf,
    3: (item) => sequenceOf(item, depth + 1),
    4: (item) => mapOf(item, depth + 1),
    5: (item) => heldBy(item, depth + 1)[0] ?? null,
  };
  const read = readers[type];
  if (read) return bytesAt(fields, type + 2).map(read);
  if (type === 0) return [];
  throw new Error(`elem_type ${type} is none that is read here`);
}

const sequenceOf = (bytes: Uint8Array, depth: number): OnnxValue[] => heldBy(bytes, depth);

/** The value in the bytes of a file; the kind is that of the model's input or output. Throws Error with the reason. */
export function readProto(bytes: Uint8Array, kind: 'tensor' | 'sequence' | 'optional' | 'map'): OnnxValue {
  if (kind === 'sequence') return sequenceOf(bytes, 0);
  if (kind === 'optional') return heldBy(bytes, 0)[0] ?? null;
  return kind === 'map' ? mapOf(bytes, 0) : tensorOf(bytes);
}

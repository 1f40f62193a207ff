// Reads the suite's values files: TensorProto, SequenceProto and OptionalProto to the values that the API uses.
import { arrayLength, kTypes } from './dtypes.mjs';
import { has, OptionalProto, SequenceProto, TensorProto } from './schema.mjs';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const product = (dims) => dims.reduce((a, b) => a * b, 1);

// raw_data is little-endian, as typed arrays are on every machine that runs these tests.
function fromRaw(type, raw) {
  const bytes = new Uint8Array(raw); // a copy: aligned
  return new type.array(bytes.buffer, 0, Math.floor(bytes.length / type.array.BYTES_PER_ELEMENT));
}

// float16, bfloat16 and smaller types lie in int32_data as their codes, packed types a byte per entry.
function fromField(type, message) {
  const list = message[type.field];
  if (type.name === 'string') return list.map((bytes) => utf8.decode(bytes));
  if (type.array === BigInt64Array || type.array === BigUint64Array) {
    return type.array.from(list, (v) => BigInt(v.toString()));
  }
  return type.array.from(list, Number);
}

/** A TensorProto as {type, dims, data}. Throws where its length is not its shape's. */
export function tensorOf(message) {
  const type = kTypes[message.data_type];
  if (!type) throw new Error(`unknown data_type ${message.data_type}`);
  const dims = message.dims.map(Number);
  const data =
    has(message, 'raw_data') && message.raw_data.length ? fromRaw(type, message.raw_data) : fromField(type, message);
  const wanted = arrayLength(type.name, product(dims));
  if (data.length !== wanted) throw new Error(`${type.name} [${dims}] has ${data.length} values, not ${wanted}`);
  return { type: type.name, dims, data };
}

function mapOf(message) {
  const keys = message.string_keys.length
    ? message.string_keys.map((bytes) => utf8.decode(bytes))
    : message.keys.map((v) => BigInt(v.toString()));
  const values = sequenceOf(message.values);
  return new Map(keys.map((key, i) => [key, values[i]]));
}

// Numbers of elem_type in SequenceProto and OptionalProto.
const kTensor = 1;
const kSequence = 3;
const kMap = 4;
const kOptional = 5;

/** A SequenceProto as an array of its elements. */
export function sequenceOf(message) {
  if (message.elem_type === kTensor) return message.tensor_values.map(tensorOf);
  if (message.elem_type === kSequence) return message.sequence_values.map(sequenceOf);
  if (message.elem_type === kMap) return message.map_values.map(mapOf);
  if (message.elem_type === kOptional) return message.optional_values.map(optionalOf);
  if (message.elem_type === 0) return [];
  throw new Error(`unknown elem_type ${message.elem_type} of a sequence`);
}

/** An OptionalProto as its value, null where it has none. */
export function optionalOf(message) {
  if (message.elem_type === kTensor && has(message, 'tensor_value')) return tensorOf(message.tensor_value);
  if (message.elem_type === kSequence && has(message, 'sequence_value')) return sequenceOf(message.sequence_value);
  if (message.elem_type === kMap && has(message, 'map_value')) return mapOf(message.map_value);
  if (message.elem_type === kOptional && has(message, 'optional_value')) return optionalOf(message.optional_value);
  return null;
}

/** The value in the bytes of a file, whose message depends on the graph's type (a TypeProto) for it. */
export function decodeValue(bytes, type) {
  if (has(type, 'sequence_type')) return sequenceOf(SequenceProto.decode(bytes));
  if (has(type, 'optional_type')) return optionalOf(OptionalProto.decode(bytes));
  const tensor = tensorOf(TensorProto.decode(bytes));
  // Releases of the suite from before numpy had bfloat16 call its bits uint16.
  const isBits = tensor.type === 'uint16' && kTypes[type.tensor_type?.elem_type]?.name === 'bfloat16';
  return isBits ? { ...tensor, type: 'bfloat16' } : tensor;
}

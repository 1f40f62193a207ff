// A model's file as a description of its graph: what is in it, without the bytes of its weights.
import type {
  AttributeDescription,
  AttributeType,
  AttributeValue,
  FunctionDescription,
  GraphDescription,
  ModelDescription,
  NodeDescription,
  ValueDescription,
} from '../../../web/src/tools/types.js';
import { shortest } from './dtypes.js';
import { readSparse, readTensor, readType } from './read_tensor.js';
import { Fields, type Schema } from './wire.js';

const kDepth = 64;
const kAttributeTypes: readonly AttributeType[] = [
  'undefined',
  'float',
  'int',
  'string',
  'tensor',
  'graph',
  'floats',
  'ints',
  'strings',
  'tensors',
  'graphs',
  'sparse_tensor',
  'sparse_tensors',
  'type_proto',
  'type_protos',
];
/** The field of each type's value. */
const kValueFields = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 22, 23, 14, 15] as const;
const kAttribute: Schema = {
  1: 'string',
  2: 'float',
  3: 'int64',
  4: 'string',
  5: 'bytes',
  6: 'bytes',
  7: 'float',
  8: 'int64',
  9: 'string',
  10: 'bytes',
  11: 'bytes',
  14: 'bytes',
  15: 'bytes',
  20: 'int32',
  21: 'string',
  22: 'bytes',
  23: 'bytes',
};
const kNode: Schema = {
  1: 'string',
  2: 'string',
  3: 'string',
  4: 'string',
  5: 'bytes',
  6: 'string',
  7: 'string',
  8: 'string',
};
const kGraph: Schema = {
  1: 'bytes',
  2: 'string',
  5: 'bytes',
  10: 'string',
  11: 'bytes',
  12: 'bytes',
  13: 'bytes',
  15: 'bytes',
};
const kFunction: Schema = {
  1: 'string',
  4: 'string',
  5: 'string',
  6: 'string',
  7: 'bytes',
  8: 'string',
  9: 'bytes',
  10: 'string',
  11: 'bytes',
  13: 'string',
};
const kModel: Schema = {
  1: 'int64',
  2: 'string',
  3: 'string',
  4: 'string',
  5: 'int64',
  6: 'string',
  7: 'bytes',
  8: 'bytes',
  14: 'bytes',
  25: 'bytes',
};

/** `float`: numbers are float32. */
function plain(value: unknown, float = false): number | string {
  if (typeof value === 'string') return value;
  const number = Number(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(number) ? number : String(value);
  if (!Number.isFinite(number)) return String(value);
  return float ? shortest(number) : number;
}

/** The reader of one value of an attribute's type. */
function valueReader(type: number, depth: number): (value: unknown) => Exclude<AttributeValue, readonly unknown[]> {
  const name = kAttributeTypes[type] ?? 'undefined';
  const bytes = (read: (part: Uint8Array) => Exclude<AttributeValue, readonly unknown[]>) => (value: unknown) =>
    read(value as Uint8Array);
  if (name.startsWith('tensor')) return bytes(readTensor);
  if (name.startsWith('sparse')) return bytes(readSparse);
  if (name.startsWith('graph')) return bytes((part) => readGraph(part, depth + 1));
  if (name.startsWith('type')) return bytes((part) => readType(part));
  const float = name.startsWith('float');
  return (value) => plain(value, float);
}

function readAttribute(bytes: Uint8Array, depth: number): AttributeDescription {
  const fields = new Fields(bytes, kAttribute);
  // Files from before the field `type` tell by what is there.
  const told = fields.number(20);
  const type =
    told > 0
      ? told
      : Math.max(
          0,
          kValueFields.findIndex((field, i) => i > 0 && fields.has(field)),
        );
  const field = kValueFields[type] ?? 0;
  const values = fields.all<unknown>(field).map(valueReader(type, depth));
  const list = kAttributeTypes[type]?.endsWith('s');
  const empty = type === 1 || type === 2 ? 0 : type === 3 ? '' : null;
  const value = list ? values : (values.at(-1) ?? empty);
  const reference = fields.text(21);
  const name = fields.text(1);
  return { name, type: kAttributeTypes[type] ?? 'undefined', value, ...(reference ? { reference } : {}) };
}

function readNode(bytes: Uint8Array, index: number, depth: number): NodeDescription {
  const fields = new Fields(bytes, kNode);
  const overload = fields.text(8);
  const docString = fields.text(6);
  return {
    index,
    name: fields.text(3),
    domain: fields.text(7) === 'ai.onnx' ? '' : fields.text(7),
    opType: fields.text(4),
    inputs: fields.all<string>(1),
    outputs: fields.all<string>(2),
    attributes: fields.all<Uint8Array>(5).map((part) => readAttribute(part, depth)),
    ...(overload ? { overload } : {}),
    ...(docString ? { docString } : {}),
  };
}

function readValue(bytes: Uint8Array): ValueDescription {
  const fields = new Fields(bytes, { 1: 'string', 2: 'bytes' });
  return { name: fields.text(1), type: readType(fields.bytes(2)) };
}

function readGraph(bytes: Uint8Array, depth: number): GraphDescription {
  if (depth > kDepth) throw new Error(`its graphs are nested more than ${kDepth} deep`);
  const fields = new Fields(bytes, kGraph);
  const docString = fields.text(10);
  const list = <T>(field: number, read: (part: Uint8Array, i: number) => T) => fields.all<Uint8Array>(field).map(read);
  return {
    name: fields.text(2),
    ...(docString ? { docString } : {}),
    nodes: list(1, (part, i) => readNode(part, i, depth)),
    initializers: [...list(5, readTensor), ...list(15, readSparse)],
    inputs: list(11, readValue),
    outputs: list(12, readValue),
    values: list(13, readValue),
  };
}

function readOpsets(parts: readonly Uint8Array[]): Record<string, number> {
  const sets = parts.map((part) => new Fields(part, { 1: 'string', 2: 'int64' }));
  return Object.fromEntries(sets.map((set) => [set.text(1) === 'ai.onnx' ? '' : set.text(1), set.number(2)]));
}

function readFunction(bytes: Uint8Array): FunctionDescription {
  const fields = new Fields(bytes, kFunction);
  const overload = fields.text(13);
  const docString = fields.text(8);
  const defaults = fields.all<Uint8Array>(11).map((part) => readAttribute(part, 1).name);
  return {
    domain: fields.text(10),
    name: fields.text(1),
    ...(overload ? { overload } : {}),
    ...(docString ? { docString } : {}),
    inputs: fields.all<string>(4),
    outputs: fields.all<string>(5),
    attributes: [...fields.all<string>(6), ...defaults],
    opsets: readOpsets(fields.all(9)),
    nodes: fields.all<Uint8Array>(7).map((part, i) => readNode(part, i, 1)),
  };
}

/** @throws Error where the bytes are no model */
export function readModel(bytes: Uint8Array): ModelDescription {
  const fields = new Fields(bytes, kModel);
  const graph = fields.bytes(7);
  if (!graph) throw new Error('there is no graph in it');
  const props = fields.all<Uint8Array>(14).map((part) => new Fields(part, { 1: 'string', 2: 'string' }));
  return {
    irVersion: fields.number(1),
    producerName: fields.text(2),
    producerVersion: fields.text(3),
    domain: fields.text(4),
    modelVersion: fields.number(5),
    docString: fields.text(6),
    opsets: readOpsets(fields.all(8)),
    metadata: Object.fromEntries(props.map((entry) => [entry.text(1), entry.text(2)])),
    graph: readGraph(graph, 0),
    functions: fields.all<Uint8Array>(25).map(readFunction),
  };
}

// A row of the table as a model: one node, its inputs fed, held as constants, or copied first.
import { kTypes, makeModel, optionalType, sequenceType, tensorType } from '../js/make_model.mjs';
import { schemaAt, splitName } from './schemas.mjs';

const bytesOf = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
const encoder = new TextEncoder();

/** A value as TensorProto. */
export function tensorProto({ type, dims, data }, name = '') {
  const body = type === 'string' ? { string_data: data.map((s) => encoder.encode(s)) } : { raw_data: bytesOf(data) };
  return { name, data_type: kTypes[type], dims, ...body };
}

// Attributes by the types that the schema gives them.
const kFields = {
  INT: (v) => ({ i: v, type: 2 }),
  FLOAT: (v) => ({ f: v, type: 1 }),
  STRING: (v) => ({ s: encoder.encode(v), type: 3 }),
  INTS: (v) => ({ ints: v, type: 7 }),
  FLOATS: (v) => ({ floats: v, type: 6 }),
  STRINGS: (v) => ({ strings: v.map((s) => encoder.encode(s)), type: 8 }),
  TENSOR: (v) => ({ t: tensorProto(v), type: 4 }),
  GRAPH: (v) => ({ g: v, type: 5 }),
  TYPE_PROTO: (v) => ({ tp: v, type: 13 }),
  SPARSE_TENSOR: (v) => ({ sparse_tensor: v, type: 11 }),
};

function attributesOf({ op, at, attributes = {} }) {
  const types = schemaAt(op, at)?.attributes ?? {};
  return Object.entries(attributes).map(([name, v]) => ({ name, ...kFields[types[name] ?? 'INT'](v) }));
}

export function typeOf(value) {
  if (value.optional) return optionalType(value.optional);
  if (value.sequence) return sequenceType(value.sequence);
  if (Array.isArray(value)) return sequenceType(tensorType(value[0].type));
  if (value instanceof Map) return value.type;
  return tensorType(value.type, value.dims);
}

const isTensor = (value) => Boolean(value?.dims);
const opsets = (op, at) => {
  const [domain] = splitName(op);
  return domain
    ? [
        { domain, version: at },
        { domain: '', version: 21 },
      ]
    : [{ domain: '', version: at }];
};

function nodeOf(row, inputs, outputs) {
  const [domain, op_type] = splitName(row.op);
  return { op_type, domain, name: 'the_node', input: inputs, output: outputs, attribute: attributesOf(row) };
}

const ones = (dims) => ({ type: 'int64', dims, data: new BigInt64Array(dims[0] ?? 1).fill(1n) });
const zero = { type: 'int64', dims: [1], data: BigInt64Array.of(0n) };
// What Tile takes: the times of each axis; before opset 6 how many times along which axis.
const timesOf = (dims, at) => (at < 6 ? [ones([1]), zero] : [ones([dims.length])]);

/** The names of a row's outputs. */
export function outputNames({ outputs = 1 }, prefix = '') {
  const names = Array.isArray(outputs) ? outputs : Array.from({ length: outputs }, (_, i) => `o${i}`);
  return names.map((name) => name && prefix + name);
}

function addRow(graph, row, how, prefix) {
  const fed = [];
  for (const [i, value] of row.inputs.entries()) {
    const name = value === null ? '' : `${prefix}i${i}`;
    fed.push(name);
    if (value === null) continue;
    if (how === 'constant' && isTensor(value)) graph.initializer.push(tensorProto(value, name));
    else graph.input.push({ name, type: typeOf(value) });
    if (!/copied|kept/.test(how) || !isTensor(value)) continue;
    const copy = `${prefix}copy${i}`;
    const times = timesOf(value.dims, splitName(row.op)[0] ? 21 : row.at);
    if (times.length > 1 && value.dims.length === 0) continue;
    const constants = times.map((v, n) => tensorProto(v, `${prefix}times${i}_${n}`));
    graph.initializer.push(...constants);
    graph.node.push({ op_type: 'Tile', input: [name, ...constants.map((c) => c.name)], output: [copy] });
    fed[i] = copy;
    if (how === 'kept') graph.output.push({ name: copy });
  }
  while (fed.at(-1) === '') fed.pop();
  const outputs = outputNames(row, prefix);
  graph.output.push(...outputs.filter(Boolean).map((name) => ({ name })));
  graph.node.push(nodeOf(row, fed, outputs));
}

/**
 * The bytes of a model with a node for each row; all rows are of one domain and opset. The inputs and outputs of row n
 * have the prefix r<n>_, of a single row none. how: 'fed'; 'constant': tensors are initializers; 'copied': each tensor
 * goes through a Tile first, so that the node may write over it; 'kept': and the copies are outputs too.
 */
export function modelOf(rows, how = 'fed') {
  const list = Array.isArray(rows) ? rows : [rows];
  const graph = { node: [], input: [], output: [], initializer: [] };
  for (const [n, row] of list.entries()) addRow(graph, row, how, Array.isArray(rows) ? `r${n}_` : '');
  return makeModel(graph, { opset_import: opsets(list[0].op, list[0].at) });
}

// The ONNX suite's light networks with weights: there, every weight is a ConstantOfShape of one number, which no runtime
// need take for a tensor. Convolutions and products get random values of He's variance, the rest what keeps a deep
// network's values in range.
import { readFileSync } from 'node:fs';
import { tensorOf } from '../../tests/conformance/decode.mjs';
import { ModelProto } from '../../tests/conformance/schema.mjs';
import { encode, floatTensor, heWeights, product } from './onnx.mjs';

const kProducts = ['Conv', 'Gemm', 'MatMul'];
const kNorm = { 1: 1, 2: 0.01, 3: 0.01, 4: 1 }; // scale, B, mean, var of BatchNormalization

/** Output name -> the number of its first reader's input, and that reader's type. */
function readers(nodes) {
  const found = new Map();
  for (const { op_type, input } of nodes) {
    for (const [index, name] of input.entries()) if (!found.has(name)) found.set(name, { op_type, index });
  }
  return found;
}

function filled(count, value) {
  return new Float32Array(count).fill(value);
}

/** The values for a ConstantOfShape of `shape` and `value` that `reader` reads. */
function weightsFor(shape, value, reader, seed) {
  const count = product(shape);
  if (kProducts.includes(reader?.op_type) && reader.index === 1 && shape.length > 1) {
    return heWeights(count, product(shape.slice(1)), seed);
  }
  if (reader?.op_type === 'BatchNormalization') return filled(count, kNorm[reader.index] ?? 1);
  if (reader?.op_type === 'Unsqueeze' && Math.abs(value) < 1e-3) return filled(count, 0.5);
  return filled(count, value);
}

/** The shapes that ConstantOfShape nodes may read: initializers and Constant nodes, by name. */
function knownTensors({ node, initializer }) {
  const known = new Map(initializer.map((tensor) => [tensor.name, tensor]));
  for (const { op_type, output, attribute } of node) {
    if (op_type === 'Constant') known.set(output[0], attribute.find(({ name }) => name === 'value').t);
  }
  return known;
}

/** The model's bytes, made of the suite's file; the same every time. */
export function lightModel(path) {
  const model = ModelProto.toObject(ModelProto.decode(readFileSync(path)), { arrays: true, longs: Number });
  const { graph } = model;
  const known = knownTensors(graph);
  const readBy = readers(graph.node);
  const made = [];
  for (const [i, { op_type, input, output, attribute }] of graph.node.entries()) {
    if (op_type !== 'ConstantOfShape') continue;
    const shape = [...tensorOf(known.get(input[0])).data].map(Number);
    const given = attribute.find(({ name }) => name === 'value');
    const value = given ? tensorOf(given.t).data[0] : 0;
    made.push(floatTensor(output[0], shape, weightsFor(shape, value, readBy.get(output[0]), i + 1)));
  }
  const nodes = graph.node.filter(({ op_type }) => op_type !== 'ConstantOfShape');
  const used = new Set(nodes.flatMap(({ input }) => input));
  const initializer = [...graph.initializer, ...made].filter(({ name }) => used.has(name));
  const constants = new Set(initializer.map(({ name }) => name));
  const input = graph.input.filter(({ name }) => used.has(name) && !constants.has(name));
  return encode({
    ...model,
    ir_version: Math.max(4, model.ir_version),
    graph: { ...graph, node: nodes, initializer, input },
  });
}

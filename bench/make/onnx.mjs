// What the makers of benchmark models share: ONNX's messages, and weights from a seed.
import { ModelProto } from '../../tests/conformance/schema.mjs';
import { lcg } from '../../tests/models/feeds.mjs';

const kTypes = { float32: 1, int64: 7 }; // TensorProto.DataType

/** `count` uniform values with He's variance 2 / fanIn, the same for the same seed. */
export function heWeights(count, fanIn, seed) {
  const next = lcg(seed);
  const bound = Math.sqrt(6 / fanIn);
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) values[i] = (next() * 2 - 1) * bound;
  return values;
}

export const product = (dims) => dims.reduce((a, b) => a * b, 1);

/** A float32 TensorProto. */
export function floatTensor(name, dims, values) {
  return { name, dims, data_type: kTypes.float32, raw_data: new Uint8Array(values.buffer) };
}

/** A ValueInfoProto of a float32 tensor. */
export function floatPort(name, dims) {
  const dim = dims.map((dim_value) => ({ dim_value }));
  return { name, type: { tensor_type: { elem_type: kTypes.float32, shape: { dim } } } };
}

const kAttributes = {
  INT: (i) => ({ type: 2, i }),
  INTS: (ints) => ({ type: 7, ints }),
};

/** A NodeProto with integer attributes. */
export function node(op_type, input, output, attributes = {}) {
  const attribute = Object.entries(attributes).map(([name, value]) => ({
    name,
    ...kAttributes[Array.isArray(value) ? 'INTS' : 'INT'](value),
  }));
  return { op_type, input, output: [output], name: output, attribute };
}

/** The bytes of a ModelProto. */
export function encode(model) {
  return ModelProto.encode(ModelProto.fromObject(model)).finish();
}

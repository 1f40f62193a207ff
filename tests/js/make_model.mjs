// Small models of any type for the package's tests, and the package under test.
import { ModelProto } from '../conformance/schema.mjs';

export const { env, InferenceSession, OnnxError, Tensor } = await import('../../dist/index.js');
export { goodModel } from '../models/tiny_model.mjs';

/** Numbers of TensorProto.DataType by the names of this package. */
export const kTypes = {
  float32: 1,
  uint8: 2,
  int8: 3,
  uint16: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  string: 8,
  bool: 9,
  float16: 10,
  float64: 11,
  uint32: 12,
  uint64: 13,
  complex64: 14,
  complex128: 15,
  bfloat16: 16,
  float8e4m3fn: 17,
  float8e4m3fnuz: 18,
  float8e5m2: 19,
  float8e5m2fnuz: 20,
  uint4: 21,
  int4: 22,
  float4e2m1: 23,
  float8e8m0: 24,
  uint2: 25,
  int2: 26,
};

/** A TypeProto of a tensor; dims undefined: no rank; a dimension is a number, a name, or null for an unknown one. */
export function tensorType(type, dims) {
  const dim = dims?.map((d) => (d === null ? {} : typeof d === 'string' ? { dim_param: d } : { dim_value: d }));
  return { tensor_type: { elem_type: kTypes[type], ...(dim ? { shape: { dim } } : {}) } };
}

export const sequenceType = (elem_type) => ({ sequence_type: { elem_type } });
export const optionalType = (elem_type) => ({ optional_type: { elem_type } });
export const mapType = (key, value_type) => ({ map_type: { key_type: kTypes[key], value_type } });

export const port = (name, type) => ({ name, type });
export const node = (op_type, input, output, more = {}) => ({
  op_type,
  input,
  output,
  name: `${op_type}_node`,
  ...more,
});

/** The bytes of a model: `graph` is a GraphProto, `more` further fields of the ModelProto. */
export function makeModel(graph, more = {}) {
  const message = {
    ir_version: 10,
    opset_import: [{ domain: '', version: 21 }],
    graph: { name: 'test', ...graph },
    ...more,
  };
  return ModelProto.encode(ModelProto.fromObject(message)).finish();
}

/** y = Identity(x) for a value of the TypeProto. */
export function identityModel(type, more) {
  return makeModel(
    { node: [node('Identity', ['x'], ['y'])], input: [port('x', type)], output: [port('y', type)] },
    more,
  );
}

/** sum = a + b and difference = a - b, float32[n, 2]. */
export function twoByTwo() {
  const type = tensorType('float32', ['n', 2]);
  return makeModel({
    node: [
      node('Add', ['a', 'b'], ['sum'], { name: 'plus' }),
      node('Sub', ['a', 'b'], ['difference'], { name: 'minus' }),
    ],
    input: [port('a', type), port('b', type)],
    output: [port('sum', type), port('difference', type)],
  });
}

/** y = x * weights, float32[2, 2], with the weights in weights.bin. */
export function externalModel() {
  const tensor = {
    name: 'w',
    data_type: 1,
    dims: [2, 2],
    data_location: 1,
    external_data: [
      { key: 'location', value: 'weights.bin' },
      { key: 'length', value: '16' },
    ],
  };
  const type = tensorType('float32', [2, 2]);
  const model = makeModel({
    node: [node('Mul', ['x', 'w'], ['y'])],
    initializer: [tensor],
    input: [port('x', type)],
    output: [port('y', type)],
  });
  return { model, weights: new Uint8Array(Float32Array.of(1, 10, 100, 1000).buffer) };
}

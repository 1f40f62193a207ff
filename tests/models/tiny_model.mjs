// Small models as bytes, for tests: made with ONNX's own messages, so that they can be wrong in any way.
import { ModelProto } from '../conformance/schema.mjs';

const kFloat = 1; // TensorProto.DataType

/** The declaration of a value (float32, if not said otherwise); a dimension is a number, or a name for an unknown one. */
export function port(name, dims, elem_type = kFloat) {
  const dim = dims.map((d) => (typeof d === 'string' ? { dim_param: d } : { dim_value: d }));
  return { name, type: { tensor_type: { elem_type, shape: { dim } } } };
}

export function node(op_type, input, output, name = `${op_type} of ${input}`) {
  return { op_type, input, output, name };
}

/** A float32 initializer in raw_data: `values` need not be as many as `dims` say. */
export function initializer(name, dims, values) {
  return { name, dims, data_type: kFloat, raw_data: new Uint8Array(Float32Array.from(values).buffer) };
}

const kOpsets = [
  { domain: 'com.example', version: 1 },
  { domain: '', version: 17 },
];

/** The bytes of a model with this GraphProto; the opset of its operators is the last thing in them. */
export function modelBytes(graph) {
  const message = { ir_version: 8, graph: { name: 'tiny', ...graph }, opset_import: kOpsets };
  return ModelProto.encode(ModelProto.fromObject(message)).finish();
}

/** y = Relu(x + w), all [2, 3]. */
export function goodModel() {
  return modelBytes({
    node: [node('Add', ['x', 'w'], ['sum'], 'adder'), node('Relu', ['sum'], ['y'], 'clip')],
    input: [port('x', [2, 3])],
    output: [port('y', [2, 3])],
    initializer: [initializer('w', [2, 3], [1, 2, 3, -4, -5, -6])],
  });
}

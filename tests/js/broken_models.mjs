// Models with one fault each, and what check has to say of it; node tests/js/broken_models.mjs FOLDER writes them, for
// tests/tools/broken_models.py.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeModel, node, port, tensorType } from './make_model.mjs';

const float = (...dims) => tensorType('float32', dims);
const attribute = (name, type, value) => ({ name, type, ...value });
const ints = (name, values) => attribute(name, 7, { ints: values });
const int = (name, i) => attribute(name, 2, { i });

/** A sound model: conv -> relu -> reshape -> gemm, and an If. */
export function sound() {
  const branch = (name, op) => ({
    name,
    node: [node(op, ['r'], [`${name}_out`], { name: `${name}_${op}` })],
    output: [port(`${name}_out`, float('n', 4, 6, 6))],
  });
  const floats = (name, dims) => {
    const size = dims.reduce((a, b) => a * b, 1);
    return { name, dims, data_type: 1, float_data: Array(size).fill(0.5) };
  };
  return {
    node: [
      node('Conv', ['x', 'w', 'b'], ['c'], { name: 'conv', attribute: [ints('kernel_shape', [3, 3])] }),
      node('Relu', ['c'], ['r'], { name: 'relu' }),
      node('If', ['flag'], ['i'], {
        name: 'branches',
        attribute: [
          attribute('then_branch', 5, { g: branch('then', 'Neg') }),
          attribute('else_branch', 5, { g: branch('else', 'Abs') }),
        ],
      }),
      node('Flatten', ['i'], ['f'], { name: 'flatten', attribute: [int('axis', 1)] }),
      node('Gemm', ['f', 'gw'], ['g'], { name: 'gemm', attribute: [attribute('alpha', 1, { f: 2 })] }),
      node('Cast', ['g'], ['y'], { name: 'cast', attribute: [int('to', 7)] }),
    ],
    input: [port('x', float('n', 3, 8, 8)), port('flag', tensorType('bool', []))],
    output: [port('y', tensorType('int64', ['n', 5]))],
    initializer: [floats('w', [4, 3, 3, 3]), floats('b', [4]), floats('gw', [144, 5])],
  };
}

const then = (g) => g.node[2].attribute[0].g;

// What is changed, and the finding that must be there: its code, and what else is known of it.
export const kFaults = {
  'no graph name': [
    (g) => {
      g.name = '';
    },
    { code: 'missing_field', path: 'graph' },
  ],
  'no ir_version': [
    (_, m) => {
      m.ir_version = 0;
    },
    { code: 'missing_field', path: 'model.ir_version' },
  ],
  'an ir_version of the future': [
    (_, m) => {
      m.ir_version = 99;
    },
    { code: 'ir_version', path: 'model.ir_version' },
  ],
  'no opset': [
    (_, m) => {
      m.opset_import = [];
    },
    { code: 'missing_opset', path: 'model.opset_import' },
  ],
  'an opset twice': [
    (_, m) => {
      m.opset_import.push({ domain: 'ai.onnx', version: 21 });
    },
    { code: 'bad_opset', path: 'model.opset_import[1]' },
  ],
  'opset 0': [
    (_, m) => {
      m.opset_import = [{ domain: '', version: 0 }];
    },
    { code: 'bad_opset', path: 'model.opset_import[0]' },
  ],
  'a metadata key twice': [
    (_, m) => {
      m.metadata_props = [
        { key: 'a', value: '1' },
        { key: 'a', value: '2' },
      ];
    },
    { code: 'duplicate_name', path: 'model.metadata_props[1]' },
  ],
  'an input without a type': [
    (g) => {
      g.input[0] = { name: 'x' };
    },
    { code: 'missing_type', value: 'x', path: 'graph.input[0]' },
  ],
  'an input without a shape': [
    (g) => {
      g.input[0] = port('x', tensorType('float32'));
    },
    { code: 'missing_shape', value: 'x', path: 'graph.input[0]' },
  ],
  'an input without a name': [
    (g) => {
      g.input.push(port('', float(1)));
    },
    { code: 'missing_field', path: 'graph.input[2]' },
  ],
  'an input twice': [
    (g) => {
      g.input.push(port('x', float(1)));
    },
    { code: 'duplicate_name', value: 'x', path: 'graph.input[2]' },
  ],
  'an output that nothing makes': [
    (g) => {
      g.output[0].name = 'nowhere';
    },
    { code: 'undefined_value', value: 'nowhere', path: 'graph.output[0]' },
  ],
  'an input that nothing makes': [
    (g) => {
      g.node[1].input[0] = 'nowhere';
    },
    { code: 'undefined_value', value: 'nowhere', node: 'relu', path: 'graph.node[1].input[0]' },
  ],
  'nodes in the wrong order': [
    (g) => {
      g.node.reverse();
    },
    { code: 'not_sorted', value: 'g', node: 'cast', path: 'graph.node[0].input[0]' },
  ],
  'a value made twice': [
    (g) => {
      g.node[1].output[0] = 'c';
      g.node[2].attribute[0].g.node[0].input[0] = 'c';
      g.node[2].attribute[1].g.node[0].input[0] = 'c';
    },
    { code: 'duplicate_name', value: 'c', node: 'relu', path: 'graph.node[1].output[0]' },
  ],
  'an operator that there is not': [
    (g) => {
      g.node[1].op_type = 'Rellu';
    },
    { code: 'unknown_operator', node: 'relu', path: 'graph.node[1]' },
  ],
  'an operator of a later version': [
    (g, m) => {
      g.node[1].op_type = 'Gelu';
      m.opset_import[0].version = 19;
    },
    { code: 'unknown_operator', node: 'relu', path: 'graph.node[1]' },
  ],
  'a deprecated operator': [
    (g) => {
      g.node[1].op_type = 'Upsample';
    },
    { code: 'deprecated_operator', node: 'relu', path: 'graph.node[1]' },
  ],
  'no op_type': [
    (g) => {
      g.node[1].op_type = '';
    },
    { code: 'missing_field', path: 'graph.node[1]' },
  ],
  'a domain without an opset': [
    (g) => {
      g.node[1].domain = 'com.example';
    },
    { code: 'missing_opset', node: 'relu', path: 'graph.node[1]' },
  ],
  'too many inputs': [
    (g) => {
      g.node[1].input.push('c');
    },
    { code: 'input_count', node: 'relu', path: 'graph.node[1]' },
  ],
  'too few inputs': [
    (g) => {
      g.node[0].input = ['x'];
    },
    { code: 'input_count', node: 'conv', path: 'graph.node[0]' },
  ],
  'a required input left out': [
    (g) => {
      g.node[0].input[1] = '';
    },
    { code: 'missing_input', node: 'conv', path: 'graph.node[0].input[1]' },
  ],
  'too many outputs': [
    (g) => {
      g.node[1].output.push('r2');
    },
    { code: 'output_count', node: 'relu', path: 'graph.node[1]' },
  ],
  'an attribute that there is not': [
    (g) => {
      g.node[0].attribute.push(int('colour', 1));
    },
    { code: 'unknown_attribute', node: 'conv', attribute: 'colour', path: 'graph.node[0].attribute[colour]' },
  ],
  'an attribute of another type': [
    (g) => {
      g.node[3].attribute = [attribute('axis', 1, { f: 1 })];
    },
    { code: 'attribute_type', node: 'flatten', attribute: 'axis', path: 'graph.node[3].attribute[axis]' },
  ],
  'an attribute that is missing': [
    (g) => {
      g.node[5].attribute = [];
    },
    { code: 'missing_attribute', node: 'cast', attribute: 'to', path: 'graph.node[5]' },
  ],
  'an attribute twice': [
    (g) => {
      g.node[3].attribute.push(int('axis', 1));
    },
    { code: 'duplicate_attribute', node: 'flatten', attribute: 'axis', path: 'graph.node[3].attribute[axis]' },
  ],
  'an attribute without a type': [
    (g) => {
      g.node[3].attribute[0].type = 0;
    },
    { code: 'bad_attribute', node: 'flatten', attribute: 'axis', path: 'graph.node[3].attribute[axis]' },
  ],
  'an attribute with two values': [
    (g) => {
      g.node[3].attribute[0].f = 1;
    },
    { code: 'bad_attribute', node: 'flatten', attribute: 'axis', path: 'graph.node[3].attribute[axis]' },
  ],
  'an attribute of a function outside of one': [
    (g) => {
      g.node[3].attribute[0] = { name: 'axis', type: 2, ref_attr_name: 'a' };
    },
    { code: 'bad_attribute', node: 'flatten', path: 'graph.node[3].attribute[axis]' },
  ],
  'a tensor without a type': [
    (g) => {
      g.initializer[1].data_type = 0;
    },
    { code: 'bad_tensor', value: 'b', path: 'graph.initializer[1]' },
  ],
  'a tensor with too few elements': [
    (g) => {
      g.initializer[1].float_data.pop();
    },
    { code: 'bad_tensor', value: 'b', path: 'graph.initializer[1]' },
  ],
  'a tensor of a negative size': [
    (g) => {
      g.initializer[1].dims = [-4];
    },
    { code: 'bad_tensor', value: 'b', path: 'graph.initializer[1]' },
  ],
  'a tensor with elements in two fields': [
    (g) => {
      g.initializer[1].int32_data = [1];
    },
    { code: 'bad_tensor', value: 'b', path: 'graph.initializer[1]' },
  ],
  'raw bytes of the wrong length': [
    (g) => {
      g.initializer[1] = { name: 'b', dims: [4], data_type: 1, raw_data: new Uint8Array(15) };
    },
    { code: 'bad_tensor', value: 'b', path: 'graph.initializer[1]' },
  ],
  'a file of weights outside of the folder': [
    (g) => {
      g.initializer[1] = {
        name: 'b',
        dims: [4],
        data_type: 1,
        data_location: 1,
        external_data: [{ key: 'location', value: '../b.bin' }],
      };
    },
    { code: 'bad_external_data', value: 'b', path: 'graph.initializer[1]' },
  ],
  'two initializers of one name': [
    (g) => {
      g.initializer.push(g.initializer[1]);
    },
    { code: 'duplicate_name', value: 'b', path: 'graph.initializer[3]' },
  ],
  'a type that the operator does not take': [
    (g) => {
      g.node[1].op_type = 'Not';
    },
    { code: 'type_mismatch', node: 'relu', value: 'c', path: 'graph.node[1].input[0]' },
  ],
  'two types where one is wanted': [
    (g) => {
      g.initializer[1] = { name: 'b', dims: [4], data_type: 11, double_data: [1, 2, 3, 4] };
    },
    { code: 'type_mismatch', node: 'conv', value: 'b', path: 'graph.node[0].input[2]' },
  ],
  'an output of another type': [
    (g) => {
      g.output[0] = port('y', float('n', 5));
    },
    { code: 'type_mismatch', value: 'y', path: 'graph.output[0]' },
  ],
  'an output of another shape': [
    (g) => {
      g.output[0] = port('y', tensorType('int64', ['n', 6]));
    },
    { code: 'shape_mismatch', value: 'y', path: 'graph.output[0]' },
  ],
  'an output of another rank': [
    (g) => {
      g.output[0] = port('y', tensorType('int64', ['n']));
    },
    { code: 'shape_mismatch', value: 'y', path: 'graph.output[0]' },
  ],
  'weights that do not fit': [
    (g) => {
      g.initializer[0].dims = [4, 9, 3, 1];
    },
    { code: 'invalid_node', node: 'conv', path: 'graph.node[0]' },
  ],
  'an axis out of range': [
    (g) => {
      g.node[3].attribute = [int('axis', 9)];
    },
    { code: 'invalid_node', node: 'flatten', path: 'graph.node[3]' },
  ],
  'a fault in an inner graph': [
    (g) => {
      then(g).node[0].op_type = 'Negg';
    },
    { code: 'unknown_operator', path: 'graph.node[2].attribute[then_branch].g.node[0]' },
  ],
  'an inner output that nothing makes': [
    (g) => {
      then(g).output[0].name = 'nowhere';
    },
    { code: 'undefined_value', value: 'nowhere', path: 'graph.node[2].attribute[then_branch].g.output[0]' },
  ],
  'a function without what it returns': [
    (_, m) => {
      m.functions = [
        {
          name: 'F',
          domain: 'own',
          input: ['a'],
          output: ['z'],
          opset_import: [{ domain: '', version: 21 }],
          node: [node('Neg', ['a'], ['b'])],
        },
      ];
    },
    { code: 'undefined_value', path: 'functions[0].output[0]' },
  ],
};

/** The file of a fault by its name. */
export function brokenModel(name) {
  const graph = sound();
  const model = { ir_version: 10, opset_import: [{ domain: '', version: 21 }] };
  kFaults[name][0](graph, model);
  return makeModel(graph, model);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'sound.onnx'), makeModel(sound()));
  for (const name of Object.keys(kFaults)) writeFileSync(join(folder, `${name}.onnx`), brokenModel(name));
}

// The ONNX backend suite on disk: its cases, and the model, inputs and expected outputs of one.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeValue } from './decode.mjs';
import { has, ModelProto } from './schema.mjs';

export const kGroups = ['node', 'simple', 'pytorch-converted', 'pytorch-operator', 'light'];

/** The ids of all cases under the suite's data folder, such as node/test_abs or light/light_vgg19, in order. */
export function listCases(folder) {
  return kGroups.flatMap((group) => {
    const names = readdirSync(join(folder, group)).filter((name) => /^test_|^light_.*\.onnx$/.test(name));
    return names.sort().map((name) => `${group}/${name.replace('.onnx', '')}`);
  });
}

const readJson = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});

// arange(n) / n in float32, in the input's shape with 1 for what is unknown: what light models are fed.
function ramp(type) {
  const dims = type.tensor_type.shape.dim.map((d) => (has(d, 'dim_value') ? Number(d.dim_value) : 1));
  const count = dims.reduce((a, b) => a * b, 1);
  return { type: 'float32', dims, data: Float32Array.from({ length: count }, (_, i) => i / count) };
}

function readSet(folder, prefix, values) {
  return values.map(({ name, type }, i) => ({
    name,
    value: decodeValue(readFileSync(join(folder, `${prefix}_${i}.pb`)), type),
  }));
}

/** A case as {model (bytes), ops (types of its nodes), sets: [{inputs, outputs}] (each [{name, value}]), tolerance}. */
export function readCase(folder, id) {
  const [group, name] = id.split('/');
  const light = group === 'light';
  const model = readFileSync(light ? join(folder, `${id}.onnx`) : join(folder, id, 'model.onnx'));
  const { graph } = ModelProto.decode(model);
  const ops = [...new Set(graph.node.map((node) => node.op_type))];
  const initializers = new Set(graph.initializer.map((tensor) => tensor.name));
  const feeds = graph.input.filter((value) => !initializers.has(value.name));
  const settings = light ? join(folder, 'real', name.replace('light_', 'test_')) : join(folder, id);
  const { rtol = 1e-3, atol = 1e-7 } = readJson(join(settings, 'data.json'));
  if (light) {
    const inputs = feeds.map((value) => ({ name: value.name, value: ramp(value.type) }));
    const outputs = readSet(join(folder, group), `${name}_output`, graph.output);
    return { model, ops, sets: [{ inputs, outputs }], tolerance: { rtol, atol } };
  }
  const folders = readdirSync(join(folder, id)).filter((entry) => entry.startsWith('test_data_set_'));
  const sets = folders.map((entry) => ({
    inputs: readSet(join(folder, id, entry), 'input', feeds),
    outputs: readSet(join(folder, id, entry), 'output', graph.output),
  }));
  return { model, ops, sets, tolerance: { rtol, atol } };
}

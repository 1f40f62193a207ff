// sardonyx/tools: descriptions of models, and models written anew.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ModelProto } from '../conformance/schema.mjs';
import { goodModel, InferenceSession, makeModel, node, port, Tensor, tensorType } from './make_model.mjs';

const { graph, toOnnx } = await import('../../dist/tools.js');

/** y = If(c) then x + w else -x; w has 300 elements. */
function branches() {
  const x = tensorType('float32', ['n', 300]);
  const inner = (name, nodes) => ({ name, node: nodes, output: [port(`${name}_y`, x)] });
  const graphs = [
    inner('then', [node('Add', ['x', 'w'], ['then_y'])]),
    inner('else', [node('Neg', ['x'], ['else_y'], { doc_string: 'the other way' })]),
  ];
  const raw_data = new Uint8Array(new Float32Array(300).fill(2).buffer);
  return makeModel({
    node: [
      node('If', ['c'], ['y'], {
        attribute: [
          { name: 'then_branch', type: 5, g: graphs[0] },
          { name: 'else_branch', type: 5, g: graphs[1] },
        ],
      }),
    ],
    input: [port('c', tensorType('bool', [])), port('x', x)],
    output: [port('y', x)],
    initializer: [
      { name: 'w', dims: [300], data_type: 1, raw_data },
      { name: 'k', dims: [3], data_type: 7, int64_data: ['1', '9007199254740993', '-2'] },
    ],
  });
}

async function runBranches(model, options) {
  const session = await InferenceSession.create(model, options);
  const x = new Tensor('float32', new Float32Array(300).fill(1), [1, 300]);
  const { y } = await session.run({ c: new Tensor('bool', [true], []), x });
  await session.release();
  return y.data[299];
}

test('graph: nodes with attributes and inner graphs, values, weights with their place in the file', async () => {
  const file = Uint8Array.from(branches());
  const model = await graph(file);
  assert.deepEqual(model.opsets, { '': 21 });
  const { graph: main } = model;
  assert.deepEqual(main.inputs[1], { name: 'x', type: { kind: 'tensor', dtype: 'float32', shape: ['n', 300] } });
  assert.equal(main.nodes[0].opType, 'If');
  const [then, otherwise] = main.nodes[0].attributes;
  assert.deepEqual([then.name, then.type, then.value.nodes[0].opType], ['then_branch', 'graph', 'Add']);
  assert.equal(otherwise.value.nodes[0].docString, 'the other way');
  const [w, k] = main.initializers;
  assert.deepEqual(w.shape, [300]);
  assert.equal(w.values, undefined);
  const { offset, length } = w.range;
  assert.equal(length, 1200);
  assert.deepEqual([...new Float32Array(file.slice(offset, offset + length).buffer)], Array(300).fill(2));
  assert.deepEqual(k.values, [1, '9007199254740993', -2]);
});

test('graph: what is no model says what it is', async () => {
  await assert.rejects(graph(new TextEncoder().encode('<!DOCTYPE html><html>')), (error) => {
    assert.equal(error.code, 'invalid_model');
    assert.match(error.message, /HTML/);
    return true;
  });
  await assert.rejects(graph(goodModel().subarray(0, 40)), { code: 'invalid_model' });
  await assert.rejects(graph(new Uint8Array()), { code: 'invalid_model' });
});

test('toOnnx: nothing is lost, unknown fields neither; weights move to another file and back', async () => {
  const unknown = Uint8Array.of(0xfa, 0x3f, 3, 1, 2, 3); // field 1023 of the model
  const file = new Uint8Array([...branches(), ...unknown]);
  const again = await toOnnx(file);
  assert.deepEqual(ModelProto.decode(again.model), ModelProto.decode(file));
  assert.ok(Buffer.from(again.model).includes(unknown));
  const { model, externalData } = await toOnnx(file, { location: 'w.bin' });
  assert.equal(externalData.length, 1200);
  assert.ok(model.length < file.length - 1000);
  const [w] = (await graph(model)).graph.initializers;
  assert.deepEqual(w.external, { location: 'w.bin', offset: 0, length: 1200 });
  const files = { externalData: [{ path: 'w.bin', data: externalData }] };
  assert.equal(await runBranches(model, files), 3);
  const back = await toOnnx(model, files);
  assert.equal(await runBranches(back.model), 3);
  await assert.rejects(toOnnx(model), { code: 'load_failed' });
});

const { check, convertOpset, extract, inferShapes, print, simplify } = await import('../../dist/tools.js');

test('inferShapes: symbols keep their names, shape arithmetic is followed', async () => {
  const x = tensorType('float32', ['batch', 3, 8, 8]);
  const file = makeModel({
    node: [
      node('Shape', ['x'], ['s']),
      node('Gather', ['s', 'zero'], ['b'], { attribute: [{ name: 'axis', type: 2, i: 0 }] }),
      node('Unsqueeze', ['b', 'axis'], ['b1']),
      node('Concat', ['b1', 'rest'], ['to'], { attribute: [{ name: 'axis', type: 2, i: 0 }] }),
      node('Reshape', ['x', 'to'], ['flat']),
      node('Relu', ['flat'], ['y']),
    ],
    input: [port('x', x)],
    output: [port('y', tensorType('float32'))],
    initializer: [
      { name: 'zero', dims: [], data_type: 7, int64_data: ['0'] },
      { name: 'axis', dims: [1], data_type: 7, int64_data: ['0'] },
      { name: 'rest', dims: [1], data_type: 7, int64_data: ['192'] },
    ],
  });
  const { graph: inferred } = await graph(await inferShapes(file));
  const shapes = Object.fromEntries(inferred.values.map(({ name, type }) => [name, [type.dtype, ...type.shape]]));
  assert.deepEqual(shapes, {
    s: ['int64', 4],
    b: ['int64'],
    b1: ['int64', 1],
    to: ['int64', 2],
    flat: ['float32', 'batch', 192],
  });
  assert.deepEqual(inferred.outputs[0].type.shape, ['batch', 192]);
  const fixed = await graph(await inferShapes(file, { dims: { batch: 2 } }));
  assert.deepEqual(fixed.graph.outputs[0].type.shape, [2, 192]);
  await assert.rejects(inferShapes(file, { dims: { none: 2 } }), { code: 'invalid_argument' });
});

/** Values of the one output of a model for x = 0, 1, 2... */
async function runOn(model, dims) {
  const session = await InferenceSession.create(model);
  const size = dims.reduce((a, b) => a * b, 1);
  const x = new Tensor(
    'float32',
    Float32Array.from({ length: size }, (_, i) => i % 7),
    dims,
  );
  const [y] = Object.values(await session.run({ x }));
  await session.release();
  return [...y.data];
}

test('simplify: constants, no-ops, a batch norm and a pad become one convolution with the same results', async () => {
  const floats = (name, dims, values) => ({ name, dims, data_type: 1, float_data: values });
  const file = makeModel({
    node: [
      node('Constant', [], ['c'], { attribute: [{ name: 'value_ints', type: 7, ints: [0, 0, 1, 1, 0, 0, 1, 1] }] }),
      node('Identity', ['x'], ['same']),
      node('Pad', ['same', 'c'], ['padded']),
      node('Add', ['w', 'w'], ['w2']),
      node('Conv', ['padded', 'w2'], ['conv']),
      node('BatchNormalization', ['conv', 'scale', 'shift', 'mean', 'var'], ['normed']),
      node('Dropout', ['normed'], ['y']),
    ],
    input: [port('x', tensorType('float32', ['n', 2, 4, 4]))],
    output: [port('y', tensorType('float32', ['n', 3, 4, 4]))],
    initializer: [
      floats(
        'w',
        [3, 2, 3, 3],
        Array.from({ length: 54 }, (_, i) => ((i * 7) % 11) / 10 - 0.5),
      ),
      floats('scale', [3], [1, 2, 0.5]),
      floats('shift', [3], [0.1, 0, -1]),
      floats('mean', [3], [0.5, -0.5, 1]),
      floats('var', [3], [1, 4, 0.25]),
    ],
  });
  const result = await simplify(file);
  assert.deepEqual(result.after, { Conv: 1 });
  assert.equal(result.before.BatchNormalization, 1);
  assert.equal((await check(result.model)).valid, true);
  const [ours, theirs] = [await runOn(result.model, [1, 2, 4, 4]), await runOn(file, [1, 2, 4, 4])];
  for (const [i, value] of theirs.entries()) assert.ok(Math.abs(ours[i] - value) < 1e-5, `${i}: ${ours[i]} ${value}`);
  const kept = await simplify(file, { skip: ['merge', 'remove'] });
  assert.equal(kept.after.BatchNormalization, 1);
});

test('extract: a part between two values', async () => {
  const part = await extract(branches(), { inputs: ['c', 'x'], outputs: ['y'] });
  assert.equal(await runBranches(part), 3);
  const file = makeModel({
    node: [node('Neg', ['x'], ['a']), node('Abs', ['a'], ['b']), node('Exp', ['b'], ['y'])],
    input: [port('x', tensorType('float32', ['n']))],
    output: [port('y', tensorType('float32', ['n']))],
  });
  const middle = (await graph(await extract(file, { inputs: ['a'], outputs: ['b'] }))).graph;
  assert.deepEqual(
    middle.nodes.map(({ opType }) => opType),
    ['Abs'],
  );
  assert.deepEqual([middle.inputs[0].name, middle.inputs[0].type.shape], ['a', ['n']]);
  await assert.rejects(extract(file, { inputs: [], outputs: ['b'] }), /needs? the model's input "x"/);
  await assert.rejects(extract(file, { inputs: ['nothing'], outputs: ['b'] }), /no value "nothing"/);
});

test('convertOpset: attributes that became inputs; what means something else is refused by name', async () => {
  const floats = tensorType('float32', ['n', 1, 4]);
  const old = (nodes, output) =>
    makeModel(
      { node: nodes, input: [port('x', floats)], output: [port('y', output)] },
      { opset_import: [{ domain: '', version: 11 }] },
    );
  const axes = (ints) => ({ attribute: [{ name: 'axes', type: 7, ints }] });
  const file = old(
    [node('Squeeze', ['x'], ['s'], axes([1])), node('ReduceMean', ['s'], ['y'], axes([1]))],
    tensorType('float32', ['n', 1]),
  );
  const newer = await convertOpset(file, 18);
  assert.equal((await check(newer)).valid, true);
  assert.equal((await graph(newer)).opsets[''], 18);
  assert.deepEqual(await runOn(newer, [2, 1, 4]), await runOn(file, [2, 1, 4]));
  await assert.rejects(convertOpset(old([node('Softmax', ['x'], ['y'])], floats), 13), /Softmax "Softmax_node"/);
  await assert.rejects(convertOpset(file, 9), { code: 'invalid_argument' });
});

test('print: letter by letter what onnx.printer writes (tests/tools/make_printed.py)', async () => {
  const read = (name) => readFileSync(new URL(`data/${name}`, import.meta.url));
  assert.equal(await print(read('printed.onnx'), { exact: false }), read('printed.txt').toString());
  assert.match(await print(read('printed.onnx')), /gamma: floats = \[1, 0\.1\]/);
});

// sardonyx/tools: descriptions of models, and models written anew.
import assert from 'node:assert/strict';
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
  await assert.rejects(toOnnx(model), { code: 'invalid_argument' });
});

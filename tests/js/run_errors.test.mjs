// What a run says that a node cannot do: that the feeds are to blame, which node it is, and what the feeds were.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fetchZoo } from '../../scripts/fetch-zoo.mjs';
import { env, InferenceSession, makeModel, node, OnnxError, port, Tensor, tensorType } from './make_model.mjs';

env.wasm.numThreads = 1;
const sessions = [];
after(() => Promise.all(sessions.map((session) => session.release())));

const float = (dims) => new Tensor('float32', new Float32Array(dims.reduce((a, b) => a * b, 1)), dims);
const whole = (values, dims = [values.length]) => new Tensor('int64', values, dims);
const ints = (name, values) => ({ name, type: 7, ints: values });
const graph = (inputs, nodes, more = {}) =>
  makeModel({ name: 'g', input: inputs, output: [port('y', tensorType('float32'))], node: nodes, ...more });
const x = port('x', tensorType('float32', ['n', 'm']));
const z = port('z', tensorType('float32', ['k', 'l']));
const i = port('i', tensorType('int64', ['n']));
const branch = (name, op, more) => ({
  name,
  type: 5,
  g: { name, node: [node(op, ['x'], [`${name}_y`], more)], output: [port(`${name}_y`, tensorType('float32'))] },
});

// [model, feeds that fit, feeds that do not, the node, its operator, the code, what is said of the feeds]
const kCases = {
  'a product of other sizes': [
    graph([x, z], [node('MatMul', ['x', 'z'], ['y'])]),
    { x: float([2, 3]), z: float([3, 4]) },
    { x: float([2, 3]), z: float([5, 4]) },
    ['MatMul_node', 'MatMul', 'invalid_input', /given "x" float32\[2, 3\], "z" float32\[5, 4\]$/],
  ],
  'shapes that do not broadcast, behind another node': [
    graph([x, z], [node('Relu', ['x'], ['r']), node('Add', ['r', 'z'], ['y'])]),
    { x: float([2, 3]), z: float([1, 3]) },
    { x: float([2, 3]), z: float([4, 3]) },
    ['Add_node', 'Add', 'invalid_input', /"x" float32\[2, 3\], "z" float32\[4, 3\]$/],
  ],
  'a shape that is data': [
    graph([x, i], [node('Reshape', ['x', 'i'], ['y'])]),
    { x: float([2, 3]), i: whole([3n, 2n]) },
    { x: float([2, 3]), i: whole([4n, 2n]) },
    ['Reshape_node', 'Reshape', 'invalid_input', /"x" float32\[2, 3\], "i" int64\[2\]$/],
  ],
  'an index that is data': [
    graph([x, i], [node('Gather', ['x', 'i'], ['y'])]),
    { x: float([2, 3]), i: whole([1n]) },
    { x: float([2, 3]), i: whole([7n]) },
    ['Gather_node', 'Gather', 'runtime_error', /"i" int64\[1\]$/],
  ],
  'a window that does not fit': [
    graph(
      [port('x', tensorType('float32', ['a', 'b', 'c', 'd']))],
      [node('MaxPool', ['x'], ['y'], { attribute: [ints('kernel_shape', [3, 3])] })],
    ),
    { x: float([1, 1, 3, 3]) },
    { x: float([1, 1, 2, 2]) },
    ['MaxPool_node', 'MaxPool', 'invalid_input', /"x" float32\[1, 1, 2, 2\]$/],
  ],
  'a branch that is taken': [
    graph(
      [x, port('b', tensorType('bool', []))],
      [
        node('If', ['b'], ['y'], {
          attribute: [
            branch('then_branch', 'Relu', {}),
            branch('else_branch', 'Transpose', { attribute: [ints('perm', [2, 1, 0])] }),
          ],
        }),
      ],
    ),
    { x: float([2, 3]), b: new Tensor('bool', [true], []) },
    { x: float([2, 3]), b: new Tensor('bool', [false], []) },
    ['Transpose_node', 'Transpose', 'invalid_input', /"x" float32\[2, 3\], "b" bool\[\] 0$/],
  ],
};

async function refused(session, feeds, options) {
  const error = await session.run(feeds, options).then(
    () => undefined,
    (error) => error,
  );
  assert.ok(error instanceof OnnxError, `${error}`);
  return error;
}

for (const [name, [model, good, bad, [where, opType, code, said]]] of Object.entries(kCases)) {
  for (const worker of [false, true]) {
    test(`${name}${worker ? ', in a worker' : ''}`, async () => {
      const session = await InferenceSession.create(model, { worker });
      sessions.push(session);
      for (const options of [{}, { signal: new AbortController().signal }, { profile: true }]) {
        const error = await refused(session, bad, options);
        assert.deepEqual([error.code, error.node, error.opType], [code, where, opType], error.message);
        assert.match(error.message, said);
        assert.ok(error.message.startsWith(`${opType} "${where}": `), error.message);
        await session.run(good, options);
      }
    });
  }
}

test('a model that no feeds fit is still invalid where that is seen without them', async () => {
  const fixed = (name, dims) => port(name, tensorType('float32', dims));
  const model = graph([fixed('x', [2, 3]), fixed('z', [5, 4])], [node('MatMul', ['x', 'z'], ['y'])]);
  await assert.rejects(InferenceSession.create(model), { code: 'invalid_model', node: 'MatMul_node' });
});

test('silero_vad: a wrong rate, no samples', async () => {
  const silero = join(fetchZoo({ names: ['silero_vad_v5.onnx'] }), 'silero_vad_v5.onnx');
  const session = await InferenceSession.create(silero);
  sessions.push(session);
  const feeds = (samples, rate) => ({ input: float([1, samples]), state: float([2, 1, 128]), sr: whole([rate], []) });
  for (const [samples, rate, said] of [
    [512, 44100n, /"input" float32\[1, 512\], "state" float32\[2, 1, 128\], "sr" int64\[\] 44100$/],
    [0, 16000n, /"input" float32\[1, 0\]/],
  ]) {
    const error = await refused(session, feeds(samples, rate));
    assert.equal(error.code, 'invalid_input', error.message);
    assert.match(error.message, said);
  }
  assert.deepEqual((await session.run(feeds(512, 16000n))).output.dims, [1, 1]);
});

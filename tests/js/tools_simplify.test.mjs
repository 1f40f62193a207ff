// simplify: shapes with one open dimension, inner graphs, branches that are known. Expected values are the model's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goodModel, InferenceSession, makeModel, node, port, Tensor, tensorType } from './make_model.mjs';

const { check, graph, simplify } = await import('../../dist/tools.js');

const ints = (name, values, dims = [values.length]) => ({ name, dims, data_type: 7, int64_data: values.map(String) });
const bool = (name, value) => ({ name, dims: [], data_type: 9, int32_data: [value ? 1 : 0] });
const floats = (name, values) => ({ name, dims: [values.length], data_type: 1, float_data: values });
const axis = (i) => ({ attribute: [{ name: 'axis', type: 2, i }] });

async function run(model, feeds) {
  const session = await InferenceSession.create(model, { graphOptimizationLevel: 'disabled' });
  const results = await session.run(feeds);
  await session.release();
  return Object.values(results).map(({ dims, data }) => [dims, [...data]]);
}

const counted = (dims, start = 0) => {
  const size = dims.reduce((a, b) => a * b, 1);
  return new Tensor(
    'float32',
    Float32Array.from({ length: size }, (_, i) => i + start),
    dims,
  );
};

/** Simplifies, checks, and holds the results of both against each other. */
async function simplified(file, ...runs) {
  const { model, after } = await simplify(file);
  assert.deepEqual((await check(model)).findings, []);
  for (const feeds of runs) assert.deepEqual(await run(model, feeds), await run(file, feeds));
  return { model, after };
}

// [n, 4, a, a] -> [n, 2, 2, a, a] -> the two middle ones exchanged: what a shuffle of channels is when it is traced.
test('a Reshape whose target has one open dimension gets a constant', async () => {
  const file = makeModel({
    node: [
      node('Shape', ['x'], ['s']),
      node('Gather', ['s', 'zero'], ['n']),
      node('Unsqueeze', ['n', 'first'], ['n1']),
      node('Concat', ['n1', 'rest'], ['to'], axis(0)),
      node('Reshape', ['x', 'to'], ['parts']),
      node('Transpose', ['parts'], ['moved'], { attribute: [{ name: 'perm', type: 7, ints: [0, 2, 1, 3] }] }),
      node('Shape', ['moved'], ['s2']),
      node('Gather', ['s2', 'zero'], ['m']),
      node('Mul', ['m', 'two'], ['m2']),
      node('Unsqueeze', ['m2', 'first'], ['m21']),
      node('Concat', ['m21', 'last'], ['to2'], axis(0)),
      node('Reshape', ['moved', 'to2'], ['y']),
    ],
    input: [port('x', tensorType('float32', ['n', 4, 3]))],
    output: [port('y', tensorType('float32', ['m', 2, 3]))],
    initializer: [
      ints('zero', [0], []),
      ints('first', [0]),
      ints('rest', [2, 2, 3]),
      ints('two', [2], []),
      ints('last', [2, 3]),
    ],
  });
  const { after } = await simplified(file, { x: counted([2, 4, 3]) }, { x: counted([5, 4, 3]) });
  assert.deepEqual(after, { Reshape: 2, Transpose: 1 });
});

test('two open dimensions: one stays in its place; an Expand keeps what it does not enlarge', async () => {
  const file = makeModel({
    node: [
      node('Shape', ['x'], ['s']),
      node('Slice', ['s', 'zero', 'two'], ['front']),
      node('Concat', ['front', 'tail'], ['to'], axis(0)),
      node('Reshape', ['x', 'to'], ['r']),
      node('Concat', ['front', 'wide'], ['larger'], axis(0)),
      node('Expand', ['r', 'larger'], ['y']),
    ],
    input: [port('x', tensorType('float32', ['n', 'm', 6]))],
    output: [port('y', tensorType('float32', ['n', 'm', 6, 2]))],
    initializer: [ints('zero', [0]), ints('two', [2]), ints('tail', [6, 1]), ints('wide', [6, 2])],
  });
  const { after } = await simplified(file, { x: counted([2, 3, 6]) }, { x: counted([1, 4, 6]) });
  assert.deepEqual(after, { Reshape: 1, Expand: 1 });
});

const branch = (name, nodes, output, initializer = []) => ({
  name,
  node: nodes,
  output: [port(output, tensorType('float32', ['n']))],
  initializer,
});
const choice = (condition, then, otherwise, name = 'y') =>
  node('If', [condition], [name], {
    attribute: [
      { name: 'then_branch', type: 5, g: then },
      { name: 'else_branch', type: 5, g: otherwise },
    ],
  });

test('inner graphs are simplified, with constants and names of the outer ones', async () => {
  const then = branch(
    'then',
    [
      node('Constant', [], ['k'], { attribute: [{ name: 'value_float', type: 1, f: 3 }] }),
      node('Identity', ['same'], ['t1']),
      node('Mul', ['t1', 'k'], ['t2']),
      node('Add', ['t2', 'zeros'], ['t3']),
    ],
    't3',
  );
  const otherwise = branch('else', [node('Mul', ['same', 'two'], ['e1']), node('Identity', ['e1'], ['e2'])], 'e2');
  const file = makeModel({
    node: [node('Identity', ['x'], ['same']), node('Add', ['one', 'one'], ['two']), choice('c', then, otherwise)],
    input: [port('c', tensorType('bool', [])), port('x', tensorType('float32', ['n']))],
    output: [port('y', tensorType('float32', ['n']))],
    initializer: [floats('one', [1]), floats('zeros', [0])],
  });
  const feeds = [true, false].map((c) => ({ c: new Tensor('bool', [c], []), x: counted([3], 1) }));
  const { after, model } = await simplified(file, ...feeds);
  assert.deepEqual(after, { If: 1, Mul: 2 });
  const [{ attributes }] = (await graph(model)).graph.nodes;
  assert.deepEqual(
    attributes.map(({ value }) => value.nodes[0].inputs[0]),
    ['x', 'x'],
  );
});

test('a branch that is known takes the place of its If, under names that hide none', async () => {
  // Both Ifs have a value "inner"; the second stays.
  const part = (name, op) =>
    branch(name, [node(op, ['x'], ['inner']), node('Exp', ['inner'], [`${name}_out`])], `${name}_out`);
  const outer = branch('outer', [choice('yes', part('a', 'Neg'), part('b', 'Abs'), 'chosen')], 'chosen');
  const file = makeModel({
    node: [
      choice('yes', outer, part('never', 'Sqrt'), 'first'),
      choice('c', part('then', 'Neg'), part('else', 'Abs'), 'second'),
      node('Add', ['first', 'second'], ['y']),
    ],
    input: [port('c', tensorType('bool', [])), port('x', tensorType('float32', ['n']))],
    output: [port('y', tensorType('float32', ['n']))],
    initializer: [bool('yes', true)],
  });
  const feeds = [true, false].map((c) => ({ c: new Tensor('bool', [c], []), x: counted([3], -1) }));
  const { after } = await simplified(file, ...feeds);
  assert.deepEqual(after, { Neg: 2, Exp: 3, If: 1, Abs: 1, Add: 1 });
});

test('a branch that hands on an outer value', async () => {
  const file = makeModel({
    node: [
      node('Neg', ['x'], ['n']),
      choice(
        'no',
        branch('then', [node('Abs', ['n'], ['t'])], 't'),
        branch('else', [node('Identity', ['n'], ['e'])], 'e'),
      ),
    ],
    input: [port('x', tensorType('float32', ['n']))],
    output: [port('y', tensorType('float32', ['n']))],
    initializer: [bool('no', false)],
  });
  const { after } = await simplified(file, { x: counted([3], -1) });
  assert.deepEqual(after, { Neg: 1 });
});

// Halves of the channels, put together again in another order; then a cut of two axes, one after the other.
test('Concat of Concat and Slice of Slice become one; what is sliced of a fixed axis keeps its shape', async () => {
  const slice = (from, k, to) => node('Slice', [from, `s${k}`, `e${k}`, `a${k}`], [to]);
  const file = makeModel({
    node: [
      slice('x', 0, 'low'),
      slice('x', 1, 'high'),
      node('Neg', ['low'], ['minus']),
      node('Concat', ['high', 'minus'], ['inner'], axis(1)),
      node('Concat', ['low', 'inner', 'high'], ['all'], axis(1)),
      slice('all', 2, 'cut'),
      slice('cut', 3, 'twice'),
      node('Shape', ['twice'], ['s']),
      node('Gather', ['s', 'one'], ['channels']),
      node('Unsqueeze', ['channels', 'first'], ['wide']),
      node('Concat', ['all2', 'wide'], ['to'], axis(0)),
      node('Reshape', ['twice', 'to'], ['y']),
    ],
    input: [port('x', tensorType('float32', ['n', 4, 6]))],
    output: [port('y', tensorType('float32', ['k', 7]))],
    initializer: [
      ...[
        [0, 2, 1],
        [2, 4, 1],
        [1, 8, 1],
        [2, 5, -1],
      ].flatMap(([start, end, at], k) => [ints(`s${k}`, [start]), ints(`e${k}`, [end]), ints(`a${k}`, [at])]),
      ints('one', [1], []),
      ints('first', [0]),
      ints('all2', [-1]),
    ],
  });
  const { after } = await simplified(file, { x: counted([2, 4, 6]) }, { x: counted([1, 4, 6]) });
  assert.deepEqual(after, { Concat: 1, Neg: 1, Reshape: 1, Slice: 3 });
});

test('a Pad goes into the average that counts it, and not into one that has pads already', async () => {
  const list = (name, values) => ({ name, type: 7, ints: values });
  const pool = (pads) =>
    makeModel({
      node: [
        node('Pad', ['x', 'pads'], ['p']),
        node('AveragePool', ['p'], ['y'], { attribute: [list('kernel_shape', [3, 3]), list('pads', pads)] }),
      ],
      input: [port('x', tensorType('float32', ['n', 2, 5, 5]))],
      output: [port('y', tensorType('float32', ['n', 2, 'h', 'w']))],
      initializer: [ints('pads', [0, 0, 1, 1, 0, 0, 1, 0])],
    });
  const x = counted([1, 2, 5, 5], 1);
  assert.deepEqual((await simplified(pool([0, 0, 0, 0]), { x })).after, { AveragePool: 1 });
  assert.deepEqual((await simplified(pool([0, 1, 0, 1]), { x })).after, { AveragePool: 1, Pad: 1 });
});

test('a factor per channel goes into the convolution, views in a row become one, And with true is nothing', async () => {
  const w = Array.from({ length: 12 }, (_, i) => (i % 5) - 2);
  const file = makeModel({
    node: [
      node('Conv', ['x', 'w', 'b'], ['c']),
      node('Mul', ['scale', 'c'], ['m']),
      node('Add', ['m', 'shift'], ['a']),
      node('Unsqueeze', ['a', 'first'], ['u']),
      node('Reshape', ['u', 'flat'], ['r']),
      node('Unsqueeze', ['r', 'first'], ['y']),
      node('And', ['flag', 'true'], ['same']),
      node('Not', ['same'], ['z']),
    ],
    input: [port('x', tensorType('float32', [1, 4, 2, 2])), port('flag', tensorType('bool', [2]))],
    output: [port('y', tensorType('float32', [1, 12])), port('z', tensorType('bool', [2]))],
    initializer: [
      { name: 'w', dims: [3, 4, 1, 1], data_type: 1, float_data: w },
      floats('b', [1, -1, 2]),
      { name: 'scale', dims: [1, 3, 1, 1], data_type: 1, float_data: [2, 4, 0.5] },
      { name: 'shift', dims: [3, 1, 1], data_type: 1, float_data: [1, 2, 3] },
      ints('first', [0]),
      ints('flat', [12]),
      bool('true', true),
    ],
  });
  const flag = new Tensor('bool', [true, false], [2]);
  const { after } = await simplified(file, { x: counted([1, 4, 2, 2]), flag });
  assert.deepEqual(after, { Conv: 1, Not: 1, Reshape: 1 });
});

test('steps are told, and aborting ends the work between two of them', async () => {
  const seen = [];
  await simplify(goodModel(), { onStep: ({ done, total }) => seen.push([done, total]) });
  assert.deepEqual(seen[0], [1, 21]);
  const ended = new AbortController();
  const work = simplify(goodModel(), { signal: ended.signal, onStep: () => ended.abort() });
  await assert.rejects(work, { code: 'aborted' });
});

test('products of one value with several matrices become one, their rows too, and what uses them stays in order', async () => {
  const matrix = (name, columns, start) => ({
    name,
    dims: [3, columns],
    data_type: 1,
    raw_data: new Uint8Array(Float32Array.from({ length: 3 * columns }, (_, i) => ((i + start) % 5) - 2).buffer),
  });
  const row = (name, columns) => ({
    name,
    dims: [columns],
    data_type: 1,
    raw_data: new Uint8Array(Float32Array.from({ length: columns }, (_, i) => i + 1).buffer),
  });
  const file = makeModel({
    node: [
      node('MatMul', ['x', 'q'], ['xq']),
      node('Neg', ['xq'], ['early']),
      node('MatMul', ['x', 'k'], ['xk']),
      node('MatMul', ['x', 'v'], ['xv']),
      node('Concat', ['early', 'xk', 'xv'], ['y'], axis(-1)),
      node('MatMul', ['x', 'a'], ['xa']),
      node('Add', ['xa', 'ra'], ['za']),
      node('Neg', ['za'], ['zn']),
      node('MatMul', ['x', 'b'], ['xb']),
      node('MatMul', ['x', 'c'], ['xc']),
      node('Add', ['rb', 'xb'], ['zb']),
      node('Add', ['xc', 'rc'], ['zc']),
      node('Concat', ['zn', 'zb', 'zc', 'zc'], ['z'], axis(-1)),
      // Only two: they stay.
      node('MatMul', ['y', 'd'], ['yd']),
      node('MatMul', ['y', 'e'], ['ye']),
    ],
    input: [port('x', tensorType('float32', ['n', 2, 3]))],
    output: [
      ...['y', 'z'].map((name) => port(name, tensorType('float32', ['n', 2, null]))),
      ...['yd', 'ye'].map((name) => port(name, tensorType('float32', ['n', 2, 1]))),
    ],
    initializer: [
      ...[matrix('q', 2, 0), matrix('k', 4, 1), matrix('v', 3, 2), matrix('a', 2, 3), matrix('b', 1, 4)],
      ...[matrix('c', 5, 1), row('ra', 2), row('rb', 1), row('rc', 5), { ...matrix('d', 3, 0), dims: [9, 1] }],
      { ...matrix('e', 3, 1), dims: [9, 1] },
    ],
  });
  const { after } = await simplified(file, { x: counted([2, 2, 3]) }, { x: counted([1, 2, 3], -3) });
  assert.deepEqual(after, { Add: 1, Concat: 2, MatMul: 4, Neg: 2, Split: 2 });
});

test('sizes that an operator gives are known where how many regions there are is not; a Split in one part is nothing', async () => {
  const read = (at) => [
    node('Gather', ['s', `at${at}`], [`d${at}`]),
    node('Unsqueeze', [`d${at}`, 'first'], [`u${at}`]),
  ];
  const file = makeModel({
    node: [
      node('NonZero', ['scores'], ['found']),
      node('Split', ['found'], ['one'], {
        attribute: [
          { name: 'axis', type: 2, i: 0 },
          { name: 'num_outputs', type: 2, i: 1 },
        ],
      }),
      node('Squeeze', ['one', 'first'], ['index']),
      node('Gather', ['boxes', 'index'], ['rois']),
      node('Gather', ['batches', 'index'], ['batch']),
      node('RoiAlign', ['x', 'rois', 'batch'], ['aligned'], {
        attribute: [
          { name: 'output_height', type: 2, i: 2 },
          { name: 'output_width', type: 2, i: 3 },
        ],
      }),
      node('Shape', ['aligned'], ['s']),
      ...[1, 2, 3].flatMap(read),
      node('Concat', ['rest', 'u1', 'u2', 'u3'], ['to'], axis(0)),
      node('Reshape', ['aligned', 'to'], ['y']),
    ],
    input: [port('x', tensorType('float32', [1, 2, 4, 4])), port('scores', tensorType('float32', [3]))],
    output: [port('y', tensorType('float32', ['k', 2, 2, 3]))],
    initializer: [
      { name: 'boxes', dims: [3, 4], data_type: 1, float_data: [0, 0, 3, 3, 1, 1, 2, 2, 0, 1, 3, 2] },
      ints('batches', [0, 0, 0]),
      ints('first', [0]),
      ints('rest', [-1]),
      ...[1, 2, 3].map((at) => ints(`at${at}`, [at], [])),
    ],
  });
  const x = counted([1, 2, 4, 4]);
  const runs = [
    [1, 0, 2],
    [0, 1, 0],
  ].map((scores) => ({ x, scores: new Tensor('float32', scores, [3]) }));
  const { after } = await simplified(file, ...runs);
  assert.deepEqual(after, { NonZero: 1, Squeeze: 1, Gather: 2, RoiAlign: 1, Reshape: 1 });
});

test('constants are computed up to constantLimit; inputShapes fixes what is open', async () => {
  const file = makeModel({
    node: [
      node('ConstantOfShape', ['size'], ['large']),
      node('Expand', ['large', 'larger'], ['zeros']),
      node('Shape', ['x'], ['s']),
      node('ConstantOfShape', ['s'], ['like']),
      node('Concat', ['zeros', 'like'], ['y'], axis(0)),
    ],
    input: [port('x', tensorType('float32', ['n']))],
    output: [port('y', tensorType('float32', ['m']))],
    initializer: [ints('size', [1]), ints('larger', [1000])],
  });
  const counts = async (options) => (await simplify(file, options)).after;
  assert.deepEqual(await counts({}), { Shape: 1, ConstantOfShape: 1, Concat: 1 });
  assert.deepEqual(await counts({ constantLimit: 3999 }), { Expand: 1, Shape: 1, ConstantOfShape: 1, Concat: 1 });
  const { model, after } = await simplify(file, { inputShapes: { x: [3] } });
  assert.deepEqual(after, { Concat: 1 });
  assert.deepEqual((await graph(model)).graph.inputs[0].type.shape, [3]);
  await assert.rejects(simplify(file, { inputShapes: { x: [3, 4] } }), { code: 'invalid_argument' });
  await assert.rejects(simplify(file, { inputShapes: { z: [3] } }), { code: 'invalid_argument' });
});

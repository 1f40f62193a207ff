// Quantized graphs as the tools write them: which nodes are left, and that the results are those of the nodes apart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lcg } from '../models/feeds.mjs';
import { InferenceSession, kTypes, makeModel, Tensor, tensorType } from './make_model.mjs';

const r = lcg(7);
const bytesOf = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
const constant = (name, type, dims, data) => ({ name, data_type: kTypes[type], dims, raw_data: bytesOf(data) });
const int8 = (n) => Int8Array.from({ length: n }, () => Math.floor(r() * 255) - 127);
const node = (op_type, input, output, attribute = []) => ({ op_type, input, output, attribute, name: output[0] });
const ints = (name, list) => ({ name, ints: list, type: 7 });

// The outcome with all passes and with none, and the operators that are left with all.
async function both(graph, feeds) {
  const results = [];
  let left = [];
  for (const graphOptimizationLevel of ['disabled', 'all']) {
    const bytes = makeModel(graph, { opset_import: [{ domain: '', version: 13 }] });
    const session = await InferenceSession.create(bytes, { graphOptimizationLevel });
    const { y } = await session.run(feeds, { profile: true });
    results.push(Array.from(y.data, Number));
    left = session.profile().map((entry) => entry.opType);
    await session.release();
  }
  return { plain: results[0], fused: results[1], left };
}

function near({ plain, fused }, most) {
  assert.equal(fused.length, plain.length);
  const worst = Math.max(...plain.map((v, i) => Math.abs(v - fused[i])));
  assert.ok(worst <= most, `differ by ${worst}`);
  assert.ok(new Set(plain).size > 4, 'say nothing');
}

for (const scales of [1, 6]) {
  test(`a dynamically quantized product, ${scales} scales`, async () => {
    const graph = {
      node: [
        node('DynamicQuantizeLinear', ['x'], ['q', 's', 'z']),
        node('MatMulInteger', ['q', 'w', 'z', 'wz'], ['sums']),
        node('Cast', ['sums'], ['floats'], [{ name: 'to', i: 1, type: 2 }]),
        node('Mul', ['s', 'ws'], ['both']),
        node('Mul', ['floats', 'both'], ['scaled']),
        node('Add', ['bias', 'scaled'], ['y']),
      ],
      initializer: [
        constant('w', 'int8', [8, 6], int8(48)),
        constant('wz', 'int8', scales === 1 ? [] : [6], new Int8Array(scales)),
        constant(
          'ws',
          'float32',
          scales === 1 ? [] : [6],
          Float32Array.from({ length: scales }, () => r() / 10),
        ),
        constant(
          'bias',
          'float32',
          [6],
          Float32Array.from({ length: 6 }, () => r()),
        ),
      ],
      input: [{ name: 'x', type: tensorType('float32', ['n', 8]) }],
      output: [{ name: 'y' }],
    };
    const x = new Tensor(
      'float32',
      Float32Array.from({ length: 40 }, () => r() - 0.3),
      [5, 8],
    );
    const result = await both(graph, { x });
    near(result, 1e-5);
    assert.deepEqual(result.left, ['DynamicQuantizeLinear', 'MatMulIntegerToFloat']);
  });
}

for (const [group, dims, size, dilation = 1] of [
  [1, [7, 6, 3, 3], [1, 6, 9, 11]],
  [2, [8, 3, 1, 1], [2, 6, 5, 5]],
  [6, [6, 1, 3, 3], [1, 6, 8, 20]],
  // By Winograd: blocks of whole rows, rows of more than one block, planes of every second row and column.
  [1, [9, 8, 3, 3], [2, 8, 37, 150]],
  [1, [3, 8, 3, 3], [1, 8, 5, 1100]],
  [1, [5, 11, 3, 3], [1, 11, 14, 19], 2],
]) {
  test(`a dynamically quantized convolution of ${size}, ${group} groups, with bias and Relu`, async () => {
    const n = dims.reduce((a, b) => a * b, 1);
    const attributes = [
      { name: 'group', i: group, type: 2 },
      ints('pads', Array(4).fill(dims[2] === 3 ? dilation : 0)),
      ints('dilations', [dilation, dilation]),
    ];
    const graph = {
      node: [
        node('DynamicQuantizeLinear', ['x'], ['q', 's', 'z']),
        node('ConvInteger', ['q', 'w', 'z', 'wz'], ['sums'], attributes),
        node('Cast', ['sums'], ['floats'], [{ name: 'to', i: 1, type: 2 }]),
        node('Mul', ['s', 'ws'], ['both']),
        node('Mul', ['floats', 'both'], ['scaled']),
        node('Add', ['scaled', 'bias'], ['sum']),
        node('Relu', ['sum'], ['y']),
      ],
      initializer: [
        constant(
          'w',
          'uint8',
          dims,
          Uint8Array.from({ length: n }, () => Math.floor(r() * 256)),
        ),
        constant('wz', 'uint8', [], Uint8Array.of(121)),
        constant('ws', 'float32', [], Float32Array.of(0.013)),
        constant(
          'bias',
          'float32',
          [1, dims[0], 1, 1],
          Float32Array.from({ length: dims[0] }, () => r() - 0.5),
        ),
      ],
      input: [{ name: 'x', type: tensorType('float32', size) }],
      output: [{ name: 'y' }],
    };
    const result = await both(graph, { x: input(size) });
    near(result, 0);
    assert.deepEqual(result.left, ['DynamicQuantizeLinear', 'Mul', 'ConvInteger']);
  });
}

// x -> quantized -> dequantized -> the nodes -> quantized -> dequantized -> y
function quantizedGraph(nodes, initializer, dims) {
  const pair = (from, to, n) => [
    node('QuantizeLinear', [from, `s${n}`, `z${n}`], [`q${n}`]),
    node('DequantizeLinear', [`q${n}`, `s${n}`, `z${n}`], [to]),
  ];
  return {
    node: [...pair('x', 'dx', 0), ...nodes, ...pair('out', 'y', 1)],
    initializer: [
      constant('s0', 'float32', [], Float32Array.of(0.02)),
      constant('z0', 'uint8', [], Uint8Array.of(100)),
      constant('s1', 'float32', [], Float32Array.of(0.0625)),
      constant('z1', 'uint8', [], Uint8Array.of(0)),
      ...initializer,
    ],
    input: [{ name: 'x', type: tensorType('float32', dims) }],
    output: [{ name: 'y' }],
  };
}

const weights = (dims, outputs, axis) => {
  const n = dims.reduce((a, b) => a * b, 1);
  const scale = Float32Array.from({ length: outputs }, () => 0.01 + r() / 50);
  return {
    nodes: [
      node('DequantizeLinear', ['w', 'ws', 'wz'], ['dw'], [{ name: 'axis', i: axis, type: 2 }]),
      node('DequantizeLinear', ['b', 'bs'], ['db'], [{ name: 'axis', i: 0, type: 2 }]),
    ],
    constants: [
      constant('w', 'int8', dims, int8(n)),
      constant('ws', 'float32', [outputs], scale),
      constant('wz', 'int8', [outputs], new Int8Array(outputs)),
      constant(
        'b',
        'int32',
        [outputs],
        Int32Array.from({ length: outputs }, () => Math.floor(r() * 2000) - 1000),
      ),
      constant(
        'bs',
        'float32',
        [outputs],
        scale.map((s) => Math.fround(s * Math.fround(0.02))),
      ),
    ],
  };
};
const kQuantum = 0.0625 + 1e-6; // one step of the output: what lies between two may fall to either
const input = (dims) =>
  new Tensor(
    'float32',
    Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, () => 3 * r() - 1.5),
    dims,
  );

test('a convolution between quantizations, with its ReLU', async () => {
  const { nodes, constants } = weights([4, 3, 3, 3], 4, 0);
  const graph = quantizedGraph(
    [...nodes, node('Conv', ['dx', 'dw', 'db'], ['c'], [ints('pads', [1, 1, 1, 1])]), node('Relu', ['c'], ['out'])],
    constants,
    [1, 3, 6, 6],
  );
  const result = await both(graph, { x: input([1, 3, 6, 6]) });
  near(result, kQuantum);
  assert.deepEqual(result.left, ['QuantizeLinear', 'QLinearConv', 'DequantizeLinear']);
});

test('a Gemm between quantizations', async () => {
  const { nodes, constants } = weights([5, 8], 5, 0);
  const gemm = node('Gemm', ['dx', 'dw', 'db'], ['out'], [{ name: 'transB', i: 1, type: 2 }]);
  const result = await both(quantizedGraph([...nodes, gemm], constants, [3, 8]), { x: input([3, 8]) });
  near(result, kQuantum);
  assert.deepEqual(result.left, ['QuantizeLinear', 'QGemm', 'DequantizeLinear']);
});

test('sums, products, concatenations between quantizations', async () => {
  for (const [op, attribute, left] of [
    ['Add', [], 'QLinearAdd'],
    ['Mul', [], 'QLinearMul'],
    ['Concat', [{ name: 'axis', i: 1, type: 2 }], 'QLinearConcat'],
  ]) {
    const graph = quantizedGraph([node(op, ['dx', 'dx'], ['out'], attribute)], [], [2, 8]);
    const result = await both(graph, { x: input([2, 8]) });
    near(result, kQuantum);
    assert.deepEqual(result.left, ['QuantizeLinear', left, 'DequantizeLinear']);
  }
});

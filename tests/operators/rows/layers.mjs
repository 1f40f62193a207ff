// Rows of products, convolutions, pools, normalisations, recurrences, attention and the other layers of networks.
import { newestOf, typesAt, versionsOf } from '../schemas.mjs';
import { make } from '../values.mjs';

const ints = (...list) => make('int64', [list.length], list);
const f = (dims, kind = 'small') => make('float32', dims, kind);
const kFloats = ['float16', 'bfloat16', 'float32', 'float64'];

// What the references compute in float32, float64 too.
const kSingle = /^(GroupNormalization|LRN)$/;

// In every type that the newest version allows for input 0 (of the floats, or all), and at each version in float32.
function everywhere(add, op, inputs, { attributes = {}, outputs = 1, versions = versionsOf(op), ...more } = {}) {
  const at = newestOf(op);
  for (const type of typesAt(op, at))
    add(op, at, type, { inputs: inputs(type), attributes, outputs, single: kSingle.test(op), ...more });
  for (const { since, gone } of versions) {
    const type = typesAt(op, since).includes('float32') ? 'float32' : typesAt(op, since)[0];
    if (!gone)
      add(op, since, 'at its version', {
        inputs: inputs(type),
        attributes,
        outputs,
        by: { at: Math.max(since, 7) },
        ...more,
      });
  }
}

function productRows(add) {
  everywhere(add, 'MatMul', (t) => [make(t, [2, 3]), make(t, [3, 5])]);
  const at = newestOf('MatMul');
  for (const [a, b] of [
    [[3], [3]],
    [[2, 3], [3]],
    [[3], [2, 3, 4]],
    [
      [2, 1, 2, 3],
      [3, 3, 2],
    ],
    [
      [0, 3],
      [3, 2],
    ],
    [
      [2, 0],
      [0, 3],
    ],
    [
      [2, 2, 0],
      [2, 0, 2],
    ],
    [
      [1, 1, 1, 2, 1, 1, 7, 5],
      [2, 1, 5, 9],
    ],
  ]) {
    add('MatMul', at, `[${a}] by [${b}]`, {
      inputs: [f(a), f(b)],
      ...(a.includes(0) && a.at(-1) === 0 ? { expect: [zeros(a, b)] } : {}),
    });
  }
  add('MatMul', at, 'NaN and infinities', { inputs: [f([2, 2], [NaN, 1, Infinity, 2]), f([2, 2], [1, 0, 1, 2])] });
  add('MatMul', at, 'overflow', { inputs: [make('int32', [1, 2], [65536, 3]), make('int32', [2, 1], [65536, 5])] });
  add('MatMul', at, 'other inner sizes', { inputs: [f([2, 3]), f([2, 3])], error: /3|dimension|shape/ });
  add('MatMul', at, 'rank 0', { inputs: [f([]), f([2, 2])], error: /rank|scalar/ });
  everywhere(add, 'Gemm', (t) => [make(t, [3, 2]), make(t, [5, 3]), make(t, [5])], {
    attributes: { transA: 1, transB: 1 },
    versions: versionsOf('Gemm').slice(2),
  });
  const gemm = newestOf('Gemm');
  const parts = { alpha: 0.5, beta: 2 };
  for (const [name, c] of [
    ['no c', undefined],
    ['a number', []],
    ['a column', [2, 1]],
    ['a row', [1, 4]],
    ['all', [2, 4]],
  ]) {
    add('Gemm', gemm, `c is ${name}`, { inputs: [f([2, 3]), f([3, 4]), ...(c ? [f(c)] : [])], attributes: parts });
  }
  add('Gemm', gemm, 'nothing to sum', {
    inputs: [f([2, 0]), f([0, 2]), f([2], [1, 2])],
    expect: [f([2, 2], [1, 2, 1, 2])],
  });
  add('Gemm', gemm, 'no rows', { inputs: [f([0, 3]), f([3, 2])] });
  add('Gemm', gemm, 'a c too large', { inputs: [f([2, 3]), f([3, 2]), f([3, 2])], error: /C|broadcast|shape/ });
  add('Gemm', gemm, 'rank 3', { inputs: [f([1, 2, 3]), f([3, 2])], error: /rank/ });
  for (const since of [1, 6]) {
    const inputs = [f([2, 3]), f([3, 4]), f([4])];
    add('Gemm', since, 'broadcast', { inputs, attributes: { broadcast: 1 }, by: { at: 13 } });
    add('Gemm', since, 'no broadcast', { inputs: [f([2, 3]), f([3, 2]), f([2, 2])], by: { at: 13 } });
  }
  for (const type of ['float32', 'float64', 'int32'])
    add('Einsum', 12, type, {
      inputs: [make(type, [2, 3]), make(type, [3, 4])],
      attributes: { equation: 'ij,jk->ki' },
    });
  for (const type of typesAt('Einsum', newestOf('Einsum')))
    add('Einsum', newestOf('Einsum'), `trace ${type}`, {
      inputs: [make(type, [3, 3])],
      attributes: { equation: 'ii->' },
    });
  for (const [equation, ...shapes] of [
    ['...ij->...ji', [2, 1, 2, 3]],
    ['i,i', [3], [3]],
    ['bij,bjk', [2, 2, 3], [2, 3, 1]],
    ['i,j,k->ijk', [2], [2], [3]],
    ['ij->', [0, 3]],
    ['iij->ij', [2, 2, 3]],
  ]) {
    const empty = shapes[0].includes(0) ? { expect: [f([], [0])] } : {};
    add('Einsum', 12, equation, { inputs: shapes.map((s) => f(s)), attributes: { equation }, ...empty });
  }
  add('Einsum', 12, 'sizes that differ', {
    inputs: [f([2, 3]), f([2, 3])],
    attributes: { equation: 'ij,jk' },
    error: /./,
  });
  add('Einsum', 12, 'another rank', { inputs: [f([2])], attributes: { equation: 'ij' }, error: /./ });
  for (const a of ['int8', 'uint8']) {
    for (const b of ['int8', 'uint8']) {
      const inputs = [
        make(a, [2, 3], 'byte'),
        make(b, [3, 5], 'byte'),
        make(a, [], [3]),
        make(b, [], [a === b ? 5 : 0]),
      ];
      add('MatMulInteger', 10, `${a} ${b}`, { inputs });
    }
  }
  const rows = [
    make('uint8', [2, 2], [1, 2, 10, 20]),
    make('uint8', [2, 2], [3, 4, 5, 6]),
    make('uint8', [2], [1, 9]),
    make('uint8', [2], [0, 7]),
  ];
  // (0 1; 1 11) by (3 -3; 5 -1)
  add('MatMulInteger', 10, 'zero points by row and column', {
    inputs: rows,
    expect: [make('int32', [2, 2], [5, -1, 58, -14])],
  });
  add('MatMulInteger', 10, 'floats', { inputs: [f([2, 2]), f([2, 2])], error: /float32/ });
  everywhere(add, 'Det', (t) => [make(t, [2, 3, 3])], {});
  add('Det', 22, 'one by one', { inputs: [f([1, 1])] });
  add('Det', 22, 'singular', { inputs: [f([2, 2], [1, 2, 2, 4])] });
  add('Det', 22, 'not square', { inputs: [f([2, 3])], error: /square|dimension|2x3/ });
}

const zeros = (a, b) => {
  const dims = [...a.slice(0, -1), b.at(-1)];
  return f(dims, Array(dims.reduce((x, y) => x * y, 1)).fill(0));
};

function convolutionRows(add) {
  everywhere(add, 'Conv', (t) => [make(t, [1, 2, 4, 4]), make(t, [3, 2, 3, 3]), make(t, [3])], {
    attributes: { pads: [1, 0, 0, 1], strides: [2, 1] },
  });
  const at = newestOf('Conv');
  const conv = (name, x, w, attributes = {}, more = {}) =>
    add('Conv', at, name, { inputs: [f(x), f(w)], attributes, ...more });
  conv('one dimension', [2, 3, 7], [4, 3, 2], { dilations: [3] });
  conv('three dimensions', [1, 2, 3, 4, 3], [2, 1, 2, 2, 2], { group: 2, strides: [1, 2, 1] });
  conv('depthwise', [1, 3, 5, 4], [3, 1, 3, 3], { group: 3, auto_pad: 'SAME_UPPER' });
  conv('SAME_LOWER', [1, 1, 5, 5], [1, 1, 2, 4], { auto_pad: 'SAME_LOWER', strides: [2, 2] });
  conv('VALID', [1, 1, 4, 5], [2, 1, 3, 2], { auto_pad: 'VALID' });
  conv('no batch', [0, 2, 4, 4], [3, 2, 3, 3], {}, { expect: [f([0, 3, 2, 2])] });
  conv('more pads than input', [1, 1, 1, 1], [1, 1, 3, 3], { pads: [2, 2, 2, 2] });
  conv('kernel too large', [1, 1, 2, 2], [1, 1, 3, 3], {}, { error: /./ });
  conv('channels that differ', [1, 2, 4, 4], [1, 3, 1, 1], {}, { error: /channel|3/ });
  conv('group that does not divide', [1, 4, 4, 4], [3, 2, 1, 1], { group: 2 }, { error: /group/ });
  conv('rank 2', [2, 3], [2, 3], {}, { error: /rank/ });
  conv('a stride of 0', [1, 1, 4, 4], [1, 1, 1, 1], { strides: [0, 1] }, { error: /stride/ });
  conv('pads of another rank', [1, 1, 4, 4], [1, 1, 1, 1], { pads: [1, 1] }, { error: /pads/ });
  add('Conv', at, 'NaN in a corner', { inputs: [f([1, 1, 3, 3], [NaN, 1, 2, 3, 4, 5, 6, 7, 8]), f([1, 1, 2, 2])] });
  everywhere(add, 'ConvTranspose', (t) => [make(t, [1, 2, 3, 3]), make(t, [2, 2, 3, 3]), make(t, [2])], {
    attributes: { strides: [2, 1], output_padding: [1, 0] },
  });
  const transposed = (name, x, w, attributes, more) =>
    add('ConvTranspose', newestOf('ConvTranspose'), name, { inputs: [f(x), f(w)], attributes, ...more });
  transposed('one dimension', [1, 2, 4], [2, 3, 2], { dilations: [2], pads: [1, 0] });
  transposed('groups', [1, 4, 2, 2], [4, 1, 2, 2], { group: 2 });
  transposed('output_shape', [1, 1, 3, 3], [1, 1, 3, 3], { strides: [2, 2], output_shape: [6, 7] });
  transposed('no batch', [0, 1, 3, 3], [1, 2, 2, 2], {}, { expect: [f([0, 2, 4, 4])] });
  transposed('channels that differ', [1, 2, 3, 3], [1, 1, 2, 2], {}, { error: /channel|1|2/ });
  for (const type of typesAt('ConvInteger', 10))
    add('ConvInteger', 10, type, {
      inputs: [
        make(type, [1, 2, 3, 3], 'byte'),
        make(type, [2, 2, 2, 2], 'byte'),
        make(type, [], [2]),
        make(type, [], [1]),
      ],
      ...(type === 'int8' ? { unlike: 'it has no int8 input' } : {}),
    });
  for (const type of ['uint8', 'int8']) {
    const q = (dims) => make(type, dims, 'byte');
    const inputs = [
      q([1, 2, 3, 3]),
      f([], [0.5]),
      make(type, [], [3]),
      q([2, 2, 2, 2]),
      f([2], [0.25, 0.125]),
      make(type, [2], [0, 0]),
      f([], [16]),
      make(type, [], [7]),
      make('int32', [2], [100, -200]),
    ];
    add('QLinearConv', 10, type, { inputs });
    const product = [
      q([2, 3]),
      f([], [0.5]),
      make(type, [], [3]),
      q([3, 4]),
      f([], [0.25]),
      make(type, [], [5]),
      f([], [16]),
      make(type, [], [7]),
    ];
    for (const since of [10, 21]) add('QLinearMatMul', since, type, { inputs: product });
  }
  everywhere(
    add,
    'DeformConv',
    (t) => [make(t, [1, 1, 3, 3]), make(t, [1, 1, 2, 2]), make(t, [1, 8, 2, 2], 'unit'), make(t, [1])],
    { attributes: { kernel_shape: [2, 2] } },
  );
  const types = ['float32', 'float16', 'bfloat16'];
  for (const type of types)
    add('CausalConvWithState', 27, type, { inputs: [make(type, [1, 2, 4]), make(type, [2, 1, 3])], outputs: 2 });
  for (const type of typesAt('Col2Im', 18)) {
    if (type === 'string') continue; // the standard lists it, but texts have no sum

    const one = make(type, [1, 4, 1]);
    add('Col2Im', 18, `one block ${type}`, {
      inputs: [one, ints(2, 2), ints(2, 2)],
      expect: [{ ...one, dims: [1, 1, 2, 2] }],
    });
    if (!/string|bool/.test(type)) add('Col2Im', 18, type, { inputs: [make(type, [1, 4, 4]), ints(3, 3), ints(2, 2)] });
  }
}

function poolRows(add) {
  for (const op of ['AveragePool', 'MaxPool', 'LpPool']) {
    const late = versionsOf(op).filter(({ since }) => since > (op === 'LpPool' ? 1 : 0));
    everywhere(add, op, (t) => [make(t, [1, 2, 4, 5])], {
      attributes: { kernel_shape: [2, 3], strides: [1, 2] },
      versions: late,
    });
    const at = newestOf(op);
    const pool = (name, x, attributes, more) => add(op, at, name, { inputs: [f(x)], attributes, ...more });
    pool('one dimension', [2, 1, 6], { kernel_shape: [3], pads: [1, 1] });
    pool('three dimensions', [1, 1, 3, 3, 4], { kernel_shape: [2, 2, 2], strides: [1, 1, 2] });
    pool('dilations', [1, 1, 5, 5], { kernel_shape: [2, 2], dilations: [2, 3] });
    pool('SAME_UPPER', [1, 1, 5, 5], { kernel_shape: [2, 3], strides: [2, 2], auto_pad: 'SAME_UPPER' });
    pool('ceil_mode', [1, 1, 5, 6], { kernel_shape: [3, 3], strides: [2, 2], ceil_mode: 1 });
    pool('no batch', [0, 1, 4, 4], { kernel_shape: [2, 2] }, { expect: [f([0, 1, 3, 3])] });
    pool('kernel too large', [1, 1, 2, 2], { kernel_shape: [3, 3] }, { error: /./ });
    pool('kernel of 0', [1, 1, 2, 2], { kernel_shape: [0, 1] }, { error: /kernel/ });
    pool('kernel of another rank', [1, 1, 2, 2], { kernel_shape: [1] }, { error: /kernel/ });
    pool('rank 2', [2, 2], { kernel_shape: [1] }, { error: /rank/ });
    pool('no kernel', [1, 1, 2, 2], {}, { error: /kernel_shape/ });
    if (op !== 'LpPool')
      add(op, at, 'infinities', {
        inputs: [f([1, 1, 2, 3], [-Infinity, 1, 2, -Infinity, 3, Infinity])],
        attributes: { kernel_shape: [2, 1] },
      });
  }
  const pads = { kernel_shape: [2, 2], pads: [1, 1, 1, 1] };
  for (const count_include_pad of [0, 1])
    for (const since of [7, 10, 11, 19, 22])
      add('AveragePool', since, `count_include_pad ${count_include_pad}`, {
        inputs: [f([1, 1, 3, 3])],
        attributes: { ...pads, count_include_pad },
      });
  for (const since of [8, 10, 11, 12, 22])
    add('MaxPool', since, 'indices', {
      inputs: [f([1, 2, 4, 4])],
      attributes: { kernel_shape: [2, 2], strides: [2, 2], storage_order: 0 },
      outputs: 2,
    });
  add('MaxPool', 22, 'column-major indices', {
    inputs: [f([1, 1, 4, 4])],
    attributes: { kernel_shape: [2, 2], storage_order: 1 },
    outputs: 2,
  });
  add('LpPool', 1, 'at its version', {
    inputs: [f([1, 1, 4, 4])],
    attributes: { kernel_shape: [2, 2], p: 2 },
    by: { at: 11 },
  });
  add('LpPool', 22, 'p is 1', { inputs: [f([1, 1, 4, 4])], attributes: { kernel_shape: [2, 2], p: 1 } });
  for (const [op, reduce] of [
    ['GlobalAveragePool', 'ReduceMean'],
    ['GlobalMaxPool', 'ReduceMax'],
  ]) {
    const like = (x, ...axes) => ({ inputs: [x], by: { op: reduce, at: 18, inputs: [x, ints(...axes)] } });
    for (const type of kFloats) add(op, 22, type, like(make(type, [2, 3, 4]), 2));
    add(op, 1, 'at its version', like(f([1, 2, 2, 3]), 2, 3));
    add(op, 22, 'four dimensions', like(f([1, 2, 2, 2, 2, 2]), 2, 3, 4, 5));
    add(op, 22, 'no batch', { inputs: [f([0, 2, 3])], expect: [f([0, 2, 1])] });
    add(op, 22, 'rank 1', { inputs: [f([3])], error: /rank/ });
  }
  for (const type of kFloats) {
    const x = make(type, [1, 2, 2, 3]);
    add('GlobalLpPool', 22, type, { inputs: [x], by: { op: 'ReduceL2', at: 18, inputs: [x, ints(2, 3)] } });
  }
  for (const since of [1, 2]) {
    const x = f([2, 1, 5]);
    add('GlobalLpPool', since, 'at its version', {
      inputs: [x],
      attributes: { p: 1 },
      by: { op: 'ReduceL1', at: 18, inputs: [x, ints(2)] },
    });
  }
  everywhere(add, 'MaxUnpool', (t) => [make(t, [1, 1, 2, 2], 'positive'), make('int64', [1, 1, 2, 2], [0, 3, 9, 15])], {
    attributes: { kernel_shape: [2, 2], strides: [2, 2] },
  });
  everywhere(add, 'MaxRoiPool', (t) => [make(t, [1, 2, 5, 5]), make(t, [2, 5], [0, 0, 0, 3, 3, 0, 1, 1, 4, 4])], {
    attributes: { pooled_shape: [2, 2] },
    by: { at: 21 },
  });
  const rois = (t) => [make(t, [1, 2, 5, 5]), make(t, [2, 4], [0, 0, 3, 3, 1, 1, 4, 4]), ints(0, 0)];
  for (const since of [10, 16, 22]) {
    for (const mode of ['avg', 'max'])
      add('RoiAlign', since, mode, {
        inputs: rois('float32'),
        attributes: { mode, output_height: 2, output_width: 2, sampling_ratio: mode === 'avg' ? 2 : 1 },
      });
  }
  for (const type of typesAt('RoiAlign', 22))
    add('RoiAlign', 22, type, {
      inputs: rois(type),
      attributes: { output_height: 2, output_width: 1, sampling_ratio: 2 },
    });
}

function normRows(add) {
  const norm = (t) => [make(t, [2, 3, 4]), make(t, [3]), make(t, [3]), make(t, [3]), make(t, [3], 'positive')];
  for (const type of typesAt('BatchNormalization', 15))
    add('BatchNormalization', 15, type, { inputs: norm(type), attributes: { epsilon: 0.25 } });
  for (const since of [7, 9, 14, 15]) add('BatchNormalization', since, 'at its version', { inputs: norm('float32') });
  for (const since of [1, 6])
    add('BatchNormalization', since, 'is_test', {
      inputs: norm('float32'),
      attributes: { is_test: 1, ...(since === 1 ? { consumed_inputs: [0, 0, 0, 1, 1] } : {}) },
      by: { at: 9 },
    });
  for (const since of [14, 15])
    add('BatchNormalization', since, 'training', {
      inputs: norm('float32'),
      attributes: { training_mode: 1 },
      outputs: 3,
    });
  add('BatchNormalization', 15, 'no batch', {
    inputs: [f([0, 3, 2]), f([3]), f([3]), f([3]), f([3], 'positive')],
    expect: [f([0, 3, 2])],
  });
  add('BatchNormalization', 15, 'other channels', {
    inputs: [f([2, 4]), f([3]), f([3]), f([3]), f([3])],
    error: /scale|channel|3/,
  });
  everywhere(add, 'InstanceNormalization', (t) => [make(t, [2, 3, 4]), make(t, [3]), make(t, [3])]);
  everywhere(add, 'LayerNormalization', (t) => [make(t, [2, 3, 4]), make(t, [4]), make(t, [4])], { outputs: 1 });
  for (const axis of [0, 1, -2])
    add('LayerNormalization', 17, `axis ${axis}`, {
      inputs: [f([2, 3, 2]), f([2, 3, 2].slice(axis))],
      attributes: { axis },
      outputs: 3,
    });
  add('LayerNormalization', 17, 'nothing', { inputs: [f([0, 4]), f([4])], expect: [f([0, 4])] });
  add('LayerNormalization', 17, 'axis too large', {
    inputs: [f([2, 4]), f([4])],
    attributes: { axis: 2 },
    error: /axis 2/,
  });
  everywhere(add, 'RMSNormalization', (t) => [make(t, [2, 3, 4]), make(t, [4])]);
  add('RMSNormalization', 23, 'axis 1', { inputs: [f([2, 3, 2]), f([3, 2])], attributes: { axis: 1 } });
  everywhere(add, 'GroupNormalization', (t) => [make(t, [2, 4, 3]), make(t, [4]), make(t, [4])], {
    attributes: { num_groups: 2 },
    versions: versionsOf('GroupNormalization').slice(1),
  });
  const x = f([1, 4, 3]);
  const perChannel = { at: 21, inputs: [x, f([4], [1, 1, 2, 2]), f([4], [0, 0, 3, 3])] };
  add('GroupNormalization', 18, 'a number per group', {
    inputs: [x, f([2], [1, 2]), f([2], [0, 3])],
    attributes: { num_groups: 2 },
    by: perChannel,
  });
  add('GroupNormalization', 21, 'groups that do not divide', {
    inputs: [f([1, 4, 3]), f([4]), f([4])],
    attributes: { num_groups: 3 },
    error: /group/,
  });
  everywhere(add, 'LRN', (t) => [make(t, [1, 5, 2, 2])], { attributes: { size: 3, alpha: 0.5 } });
  everywhere(add, 'LpNormalization', (t) => [make(t, [2, 3])], { attributes: { axis: 0 } });
  add('LpNormalization', 22, 'p is 1, negative axis', { inputs: [f([2, 3])], attributes: { axis: -2, p: 1 } });
  everywhere(add, 'MeanVarianceNormalization', (t) => [make(t, [2, 2, 3, 2])]);
  add('MeanVarianceNormalization', 13, 'axes', { inputs: [f([3, 4])], attributes: { axes: [-1] } });
}

const kGates = { RNN: 1, GRU: 3, LSTM: 4 };

function recurrentRows(add) {
  for (const [op, gates] of Object.entries(kGates)) {
    const outputs = op === 'LSTM' ? 3 : 2;
    const weights = (t, n = 1) => [
      make(t, [n, gates * 2, 3], 'unit'),
      make(t, [n, gates * 2, 2], 'unit'),
      make(t, [n, gates * 4], 'unit'),
    ];
    const inputs = (t) => [make(t, [3, 2, 3], 'unit'), ...weights(t)];
    everywhere(add, op, inputs, {
      attributes: { hidden_size: 2 },
      outputs,
      versions: versionsOf(op).filter(({ since }) => since >= 7),
    });
    const state = (n) => [
      make('int32', [2], [3, 1]),
      f([n, 2, 2], 'unit'),
      ...(op === 'LSTM' ? [f([n, 2, 2], 'unit')] : []),
    ];
    const x = () => f([3, 2, 3], 'unit');
    add(op, 14, 'both ways, lengths', {
      inputs: [x(), ...weights('float32', 2), ...state(2)],
      attributes: { hidden_size: 2, direction: 'bidirectional' },
      outputs,
    });
    add(op, 14, 'reverse', {
      inputs: [x(), ...weights('float32'), ...state(1)],
      attributes: { hidden_size: 2, direction: 'reverse' },
      outputs,
    });
    add(op, 14, 'clip', { inputs: [x(), ...weights('float32')], attributes: { hidden_size: 2, clip: 0.25 }, outputs });
    add(op, 14, 'another hidden size', {
      inputs: [x(), ...weights('float32')],
      attributes: { hidden_size: 3 },
      outputs,
      error: /./,
    });
    add(op, 14, 'rank 2', {
      inputs: [f([3, 3]), ...weights('float32')],
      attributes: { hidden_size: 2 },
      outputs,
      error: /rank/,
    });
    add(op, 1, 'at its version', {
      inputs: inputs('float32'),
      attributes: { hidden_size: 2, output_sequence: 1 },
      outputs,
      by: { at: 7 },
    });
  }
  add('GRU', 3, 'at its version', {
    inputs: [f([3, 2, 3], 'unit'), f([1, 6, 3], 'unit'), f([1, 6, 2], 'unit')],
    attributes: { hidden_size: 2, linear_before_reset: 0 },
    outputs: 2,
    by: { at: 7 },
  });
  add('GRU', 14, 'linear_before_reset', {
    inputs: [f([3, 2, 3], 'unit'), f([1, 6, 3], 'unit'), f([1, 6, 2], 'unit'), f([1, 12], 'unit')],
    attributes: { hidden_size: 2, linear_before_reset: 1 },
    outputs: 2,
  });
}

function attentionRows(add) {
  const four = (t) => [make(t, [1, 2, 3, 4], 'unit'), make(t, [1, 2, 5, 4], 'unit'), make(t, [1, 2, 5, 4], 'unit')];
  for (const at of [23, 24]) {
    for (const type of ['float32', 'float64', 'float16', 'bfloat16'])
      add('Attention', at, type, { inputs: four(type), single: true });
    add('Attention', at, 'causal', { inputs: four('float32'), attributes: { is_causal: 1 } });
    add('Attention', at, 'scale and cap', { inputs: four('float32'), attributes: { scale: 0.25, softcap: 2 } });
    add('Attention', at, 'a mask of bools', {
      inputs: [...four('float32'), make('bool', [3, 5], [1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1])],
    });
    add('Attention', at, 'a mask of numbers', { inputs: [...four('float32'), f([1, 1, 3, 5])] });
    add('Attention', at, 'grouped, rank 3', {
      inputs: [f([1, 3, 8], 'unit'), f([1, 4, 4], 'unit'), f([1, 4, 4], 'unit')],
      attributes: { q_num_heads: 4, kv_num_heads: 2 },
    });
    add('Attention', at, 'heads that do not divide', {
      inputs: [f([1, 3, 8]), f([1, 4, 4]), f([1, 4, 4])],
      attributes: { q_num_heads: 3, kv_num_heads: 2 },
      error: /head/,
    });
  }
  for (const type of typesAt('RotaryEmbedding', 23)) {
    const inputs = [
      make(type, [1, 2, 3, 4]),
      make(type, [5, 2], 'unit'),
      make(type, [5, 2], 'unit'),
      make('int64', [1, 3], [0, 2, 4]),
    ];
    for (const interleaved of [0, 1])
      add('RotaryEmbedding', 23, `${type} interleaved ${interleaved}`, { inputs, attributes: { interleaved } });
  }
  for (const type of typesAt('LinearAttention', 27)) {
    const x = () => make(type, [1, 3, 4], 'unit');
    add('LinearAttention', 27, type, {
      inputs: [x(), x(), x()],
      attributes: { q_num_heads: 2, kv_num_heads: 2, update_rule: 'linear' },
      outputs: 2,
    });
  }
}

function sampledRows(add) {
  for (const mode of ['linear', 'cubic', 'nearest']) {
    for (const coordinates of ['half_pixel', 'asymmetric', 'align_corners', 'pytorch_half_pixel']) {
      const inputs = [f([1, 1, 3, 4]), null, null, ints(1, 1, 5, 7)];
      add('Resize', 19, `${mode} ${coordinates}`, {
        inputs,
        attributes: { mode, coordinate_transformation_mode: coordinates, nearest_mode: 'floor' },
        unlike: mode === 'cubic' ? 'its coefficients lose digits in float32' : undefined,
      });
    }
    for (const type of mode === 'linear'
      ? ['float32', 'float64', 'float16', 'bfloat16', 'uint8', 'int8', 'int32']
      : []) {
      const unlike = /int/.test(type) ? 'it truncates, the standard rounds' : undefined;
      add('Resize', 19, `${mode} ${type}`, {
        inputs: [make(type, [1, 1, 2, 2], [0, 2, 4, 8]), null, f([4], [1, 1, 2, 2])],
        attributes: { mode },
        unlike,
      });
    }
  }
  for (const since of [11, 13, 18])
    add('Resize', since, 'linear', {
      inputs: [f([1, 1, 3, 3]), f([0], []), f([4], [1, 1, 2, 1.5])],
      attributes: { mode: 'linear' },
    });
  add('Resize', 10, 'linear', { inputs: [f([1, 1, 2, 3]), f([4], [1, 1, 2, 2])], attributes: { mode: 'linear' } });
  add('Resize', 19, 'antialias', {
    inputs: [f([1, 1, 6, 6]), null, null, ints(1, 1, 3, 2)],
    attributes: { mode: 'linear', antialias: 1 },
  });
  add('Resize', 19, 'crop', {
    inputs: [f([1, 1, 4, 4]), f([8], [0, 0, 0.25, 0.25, 1, 1, 1.25, 0.75]), null, ints(1, 1, 3, 3)],
    attributes: { mode: 'linear', coordinate_transformation_mode: 'tf_crop_and_resize', extrapolation_value: 9 },
  });
  add('Resize', 19, 'scales and sizes', { inputs: [f([2]), null, f([1], [2]), ints(4)], error: /scales|sizes/ });
  add('Resize', 19, 'a scale of 0', { inputs: [f([2]), null, f([1], [0])], error: /scale|0/ });
  for (const since of [16, 20, 22]) {
    const [linear, cubic] = since === 16 ? ['bilinear', 'bicubic'] : ['linear', 'cubic'];
    for (const padding_mode of ['zeros', 'border', 'reflection']) {
      for (const mode of [linear, cubic, 'nearest'])
        add('GridSample', since, `${mode} ${padding_mode}`, {
          inputs: [f([1, 1, 3, 3]), f([1, 2, 3, 2])],
          attributes: { mode, padding_mode, align_corners: 1 },
        });
    }
  }
  for (const type of ['float64', 'float16', 'bfloat16'])
    add('GridSample', 22, type, { inputs: [make(type, [1, 2, 3, 3]), make(type, [1, 2, 2, 2], 'unit')] });
  add('GridSample', 22, 'three dimensions', { inputs: [f([1, 1, 2, 2, 2]), f([1, 1, 2, 2, 3], 'unit')] });
  for (const type of typesAt('AffineGrid', 20)) {
    for (const align_corners of [0, 1])
      add('AffineGrid', 20, `${type} ${align_corners}`, {
        inputs: [make(type, [1, 2, 3]), ints(1, 1, 2, 3)],
        attributes: { align_corners },
      });
  }
  add('AffineGrid', 20, 'three dimensions', { inputs: [f([1, 3, 4]), ints(1, 1, 2, 2, 2)] });
}

function lossRows(add) {
  for (const since of [12, 13, 22]) {
    for (const reduction of ['none', 'sum', 'mean']) {
      const inputs = [f([2, 3, 2]), make('int64', [2, 2], [0, 2, 1, 1]), f([3], 'positive')];
      add('NegativeLogLikelihoodLoss', since, reduction, { inputs, attributes: { reduction } });
      if (since < 22)
        add('SoftmaxCrossEntropyLoss', since, reduction, {
          inputs,
          attributes: { reduction, ignore_index: 1 },
          outputs: 2,
        });
    }
  }
  for (const type of kFloats) {
    for (const op of ['NegativeLogLikelihoodLoss', 'SoftmaxCrossEntropyLoss']) {
      const target = (t) => make(t, [3], [0, 1, 1]);
      for (const index of ['int32', 'int64'])
        add(op, newestOf(op), `${type} ${index}`, { inputs: [make(type, [3, 2]), target(index)] });
    }
  }
  add('NegativeLogLikelihoodLoss', 22, 'a class too large', { inputs: [f([2, 3]), ints(0, 3)], error: /3/ });
  add('SoftmaxCrossEntropyLoss', 13, 'a class too small', { inputs: [f([2, 3]), ints(0, -2)], error: /-2/ });
  for (const { since } of versionsOf('Dropout')) {
    const early = since < 7;
    const more = early ? { attributes: { is_test: 1, ...(since === 1 ? { consumed_inputs: [0] } : {}) } } : {};
    const x = f([2, 3]);
    add('Dropout', since, 'at its version', { inputs: [x], ...more, expect: [x] });
  }
  for (const type of typesAt('Dropout', 22)) {
    const x = make(type, [5]);
    add('Dropout', 22, type, { inputs: [x], outputs: 2, expect: [x, make('bool', [5], [1, 1, 1, 1, 1])] });
  }
}

export function rows(add) {
  productRows(add);
  convolutionRows(add);
  poolRows(add);
  normRows(add);
  recurrentRows(add);
  attentionRows(add);
  sampledRows(add);
  lossRows(add);
}

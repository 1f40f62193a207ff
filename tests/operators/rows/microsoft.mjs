// Rows of onnxruntime's own operators (com.microsoft), and of what models write in the standard's domain without its
// having it.
import { typesAt } from '../schemas.mjs';
import { make, numbersOf } from '../values.mjs';

const name = (op) => `com.microsoft.${op}`;
const f = (dims, kind = 'unit') => make('float32', dims, kind);
const i32 = (dims, list) => make('int32', dims, list);
const scalar = (type, v) => make(type, [], [v]);
// Weights of 7 bits: with all 8, the reference's sums of uint8 by int8 saturate on some processors.
const weightsOf = (type, dims) =>
  make(
    type,
    dims,
    Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) => ((i * 37) % 127) - (type === 'int8' ? 63 : 0)),
  );

// In every type that input 0 may have.
function everyType(add, op, inputs, more = {}) {
  for (const type of typesAt(name(op), 1)) add(name(op), 1, type, { inputs: inputs(type), ...more });
}

function weightRows(add) {
  const op = name('MatMulNBits');
  // n columns of k weights in blocks, their scales, and zero points.
  const weights = (type, { k, n, bits, block, zeros, groups, bias }) => {
    const blocks = Math.ceil(k / block);
    const inputs = [make('uint8', [n, blocks, (block * bits) / 8], 'byte'), make(type, [n * blocks], 'fraction')];
    if (zeros === 'packed') inputs.push(make('uint8', [n * Math.ceil((blocks * bits) / 8)], 'byte'));
    else inputs.push(zeros === 'float' ? make(type, [n * blocks], 'positive') : null);
    inputs.push(groups ?? null, bias ? make(type, [n], 'small') : null);
    return inputs;
  };
  const row = (label, rows, options, type = 'float32') =>
    add(op, 1, label, {
      inputs: [make(type, [...rows, options.k], 'unit'), ...weights(type, options)],
      attributes: { K: options.k, N: options.n, bits: options.bits, block_size: options.block },
    });
  for (const type of typesAt(op, 1)) row(type, [2], { k: 64, n: 5, bits: 4, block: 32, bias: true }, type);
  for (const bits of [2, 4, 8]) {
    for (const zeros of ['none', 'packed', 'float']) {
      if (bits !== 4 && zeros === 'float') continue;
      row(`${bits} bits, zeros ${zeros}, a row`, [1], { k: 96, n: 6, bits, block: 32, zeros });
      row(`${bits} bits, zeros ${zeros}, rows`, [2, 5], { k: 96, n: 11, bits, block: 16, zeros });
    }
  }
  row('a block of 128 for less', [1], { k: 80, n: 3, bits: 4, block: 128, zeros: 'packed' });
  row('an odd size', [3], { k: 37, n: 3, bits: 4, block: 16 });
  row('an odd size, more rows', [9], { k: 37, n: 9, bits: 4, block: 32, zeros: 'packed', bias: true });
  row('blocks of 64', [1], { k: 192, n: 4, bits: 4, block: 64, zeros: 'packed', bias: true });
  add(op, 1, '5 bits', {
    inputs: [f([1, 64]), ...weights('float32', { k: 64, n: 2, bits: 4, block: 32 })],
    attributes: { K: 64, N: 2, bits: 5, block_size: 32 },
    error: /bits/,
  });
}

function lstmRows(add) {
  const op = name('DynamicQuantizeLSTM');
  const [size, hidden, batch] = [5, 4, 2];
  const inputs = (type, { d = 1, steps = 3, columns = false, bias = false, rest = [] } = {}) => {
    const scale = () =>
      make(
        'float32',
        columns ? [d, 4 * hidden] : [d],
        Array.from({ length: columns ? d * 4 * hidden : d }, (_, n) => 0.02 + n / 1000),
      );
    const zero = () =>
      columns
        ? make(type, [d, 4 * hidden], Array(d * 4 * hidden).fill(type === 'int8' ? 0 : 60))
        : make(type, [d], Array(d).fill(9));
    const [lengths = null, h = null, c = null, p = null] = rest;
    return [
      f([steps, batch, size]),
      weightsOf(type, [d, size, 4 * hidden]),
      weightsOf(type, [d, hidden, 4 * hidden]),
      bias ? f([d, 8 * hidden]) : null,
      ...[lengths, h, c, p],
      ...[scale(), zero(), scale(), zero()],
    ];
  };
  const row = (label, given, attributes = {}) =>
    add(op, 1, label, { inputs: given, outputs: 3, attributes: { hidden_size: hidden, ...attributes } });
  for (const type of ['int8', 'uint8']) {
    row(type, inputs(type));
    row(`${type}, by columns`, inputs(type, { columns: true, bias: true }));
    row(`${type}, both directions`, inputs(type, { d: 2, bias: true }), { direction: 'bidirectional' });
  }
  row('a sequence of one', inputs('int8', { steps: 1, bias: true }));
  row('reverse, from a state', inputs('int8', { rest: [null, f([1, batch, hidden]), f([1, batch, hidden])] }), {
    direction: 'reverse',
  });
  row('lengths and peepholes', inputs('int8', { rest: [i32([2], [3, 2]), null, null, f([1, 3 * hidden])] }));
  row('clipped, other activations', inputs('uint8', { bias: true }), {
    clip: 0.5,
    activations: ['HardSigmoid', 'Softsign', 'Relu'],
  });
  row('the forget gate of the input', inputs('int8', { bias: true }), { input_forget: 1 });
  const wrong = inputs('int8');
  wrong[9] = make('uint8', [1], [3]);
  add(op, 1, 'a zero point of another type', { inputs: wrong, attributes: { hidden_size: hidden }, error: /uint8/ });
}

function tableRows(add) {
  const op = name('MatMulBnb4');
  const inputs = (type, rows, k, n, block) => [
    make(type, [...rows, k], 'unit'),
    make('uint8', [Math.ceil((n * k) / 2)], 'byte'),
    make(type, [Math.ceil((n * k) / block)], 'positive'),
  ];
  const row = (label, rows, [K, N, block_size], quant_type, type = 'float32') =>
    add(op, 1, label, {
      inputs: inputs(type, rows, K, N, block_size),
      attributes: { K, N, block_size, quant_type },
    });
  for (const type of typesAt(op, 1)) row(type, [2], [64, 5, 32], 1, type);
  for (const [kind, quant_type] of [
    ['FP4', 0],
    ['NF4', 1],
  ]) {
    row(`${kind}, a row`, [1], [96, 6, 16], quant_type);
    row(`${kind}, rows`, [2, 5], [64, 70, 64], quant_type);
    row(`${kind}, blocks across columns`, [3], [24, 9, 32], quant_type);
    row(`${kind}, an odd size`, [3], [37, 3, 16], quant_type);
  }
  add(op, 1, 'another table', {
    inputs: inputs('float32', [1], 32, 2, 16),
    attributes: { K: 32, N: 2, block_size: 16, quant_type: 2 },
    error: /quant_type/,
  });
}

function poolRows(add) {
  const op = name('NhwcMaxPool');
  for (const type of ['int8', 'uint8']) {
    const row = (label, dims, attributes) =>
      add(op, 1, `${type}, ${label}`, { inputs: [make(type, dims, 'byte')], attributes });
    row('2x2', [2, 4, 6, 3], { kernel_shape: [2, 2], strides: [2, 2] });
    row('padded', [1, 5, 4, 17], { kernel_shape: [3, 3], strides: [2, 1], pads: [1, 1, 1, 0] });
    row('dilated, rounded up', [1, 8, 7, 2], {
      kernel_shape: [2, 2],
      strides: [3, 2],
      dilations: [2, 3],
      ceil_mode: 1,
    });
    row('padded by itself', [1, 5, 5, 4], { kernel_shape: [2, 3], strides: [2, 2], auto_pad: 'SAME_UPPER' });
    row('one axis', [2, 9, 3], { kernel_shape: [3], strides: [2] });
    row('three axes', [1, 3, 4, 5, 2], { kernel_shape: [2, 2, 2] });
  }
  add(op, 1, 'no window', { inputs: [make('uint8', [1, 4, 4, 2], 'byte')], error: /kernel_shape/ });
}

function normRows(add) {
  const simplified = 'SimplifiedLayerNormalization';
  for (const type of typesAt(simplified, 1))
    add(simplified, 1, type, {
      inputs: [make(type, [2, 3, 8]), make(type, [8])],
      attributes: { axis: -1, epsilon: 1e-5 },
      single: true,
    });
  add(simplified, 1, 'with the inverse root', {
    inputs: [f([2, 8]), f([8])],
    outputs: 2,
    attributes: { epsilon: 1e-6 },
  });
  everyType(add, 'SkipSimplifiedLayerNormalization', (t) => [make(t, [2, 3, 8]), make(t, [2, 3, 8]), make(t, [8])], {
    attributes: { epsilon: 1e-5 },
  });
  everyType(
    add,
    'SkipLayerNormalization',
    (t) => [make(t, [2, 3, 8]), make(t, [2, 3, 8]), make(t, [8]), make(t, [8])],
    {
      attributes: { epsilon: 1e-5 },
    },
  );
  for (const op of ['SkipSimplifiedLayerNormalization', 'SkipLayerNormalization']) {
    const beta = op === 'SkipLayerNormalization' ? [f([8])] : [];
    const outputs = ['o0', '', '', 'o3'];
    const attributes = { epsilon: 1e-6 };
    add(name(op), 1, 'with a bias and the sum', {
      inputs: [f([2, 3, 8]), f([2, 3, 8]), f([8]), ...beta, f([8])],
      outputs,
      attributes,
    });
    add(name(op), 1, 'rank 2', { inputs: [f([5, 8]), f([5, 8]), f([8])], outputs, attributes });
    add(name(op), 1, 'a skip for all', { inputs: [f([2, 3, 8]), f([3, 8]), f([8])], attributes });
    add(name(op), 1, 'another skip', { inputs: [f([2, 3, 8]), f([2, 4, 8]), f([8])], error: /skip/ });
  }
  const words = (t, ids, segments) => [
    i32([2, 3], ids),
    segments ? i32([2, 3], [0, 1, 1, 0, 0, 1]) : null,
    make(t, [7, 8]),
    make(t, [4, 8]),
    segments ? make(t, [2, 8]) : null,
    make(t, [8]),
    make(t, [8]),
  ];
  const embed = name('EmbedLayerNormalization');
  const attributes = { epsilon: 1e-5 };
  for (const type of ['float32', 'float16'])
    add(embed, 1, type, { inputs: words(type, [1, 2, 6, 0, 3, 3], true), outputs: 2, attributes });
  add(embed, 1, 'without segments, with a mask', {
    inputs: [...words('float32', [1, 2, 6, 0, 3, 3], false), i32([2, 3], [1, 1, 0, 1, 0, 0])],
    outputs: 2,
    attributes,
  });
  add(embed, 1, 'with positions and the sum', {
    inputs: [...words('float32', [1, 2, 6, 0, 3, 3], true), null, i32([2, 3], [3, 2, 1, 0, 1, 2])],
    outputs: ['o0', '', 'o2'],
    attributes,
  });
  add(embed, 1, 'a word out of range', { inputs: words('float32', [1, 2, 7, 0, 3, 3], false), error: /7/ });
}

function rotaryRows(add) {
  const op = name('RotaryEmbedding');
  const ids = (...list) => make('int64', [2, 3], list);
  everyType(add, 'RotaryEmbedding', (t) => [
    make(t, [2, 3, 16]),
    ids(0, 1, 2, 4, 3, 1),
    make(t, [5, 4]),
    make(t, [5, 4]),
  ]);
  for (const interleaved of [0, 1]) {
    const attributes = { interleaved };
    add(op, 1, `heads first, interleaved ${interleaved}`, {
      inputs: [f([2, 2, 3, 8]), ids(0, 1, 2, 4, 3, 1), f([5, 4]), f([5, 4])],
      attributes,
    });
    add(op, 1, `from a position on, interleaved ${interleaved}`, {
      inputs: [f([2, 3, 16]), make('int64', [1], [2]), f([5, 4]), f([5, 4])],
      attributes,
    });
    add(op, 1, `part of a head, interleaved ${interleaved}`, {
      inputs: [f([2, 3, 16]), ids(0, 1, 2, 4, 3, 1), f([5, 2]), f([5, 2])],
      attributes: { ...attributes, num_heads: 2, rotary_embedding_dim: 4 },
    });
  }
  add(op, 1, 'a position out of range', {
    inputs: [f([2, 3, 16]), ids(0, 1, 2, 5, 3, 1), f([5, 4]), f([5, 4])],
    error: /5/,
  });
}

function groupedRows(add) {
  const op = name('GroupQueryAttention');
  const kv = (t, batch, tokens) => [make(t, [batch, tokens, 32], 'unit'), make(t, [batch, tokens, 32], 'unit')];
  // 4 heads of queries, 2 of keys, each of 16.
  const inputs = (t, { batch = 1, tokens, past, lengths, total, rest = [] }) => [
    make(t, [batch, tokens, 64], 'unit'),
    ...kv(t, batch, tokens),
    ...(past ? [make(t, [batch, 2, past, 16], 'unit'), make(t, [batch, 2, past, 16], 'unit')] : [null, null]),
    i32([batch], lengths),
    i32([1], [total]),
    ...rest,
  ];
  const heads = { num_heads: 4, kv_num_heads: 2 };
  const row = (label, options, attributes = {}, more = {}) =>
    add(op, 1, label, {
      inputs: inputs('float32', options),
      attributes: { ...heads, ...attributes },
      outputs: 3,
      ...more,
    });
  const prompt = { tokens: 5, lengths: [4], total: 5 };
  const token = { tokens: 1, past: 6, lengths: [6], total: 7 };
  everyType(add, 'GroupQueryAttention', (t) => inputs(t, { tokens: 1, past: 3, lengths: [3], total: 4 }), {
    attributes: heads,
    outputs: 3,
  });
  row('a prompt', prompt);
  row('a token', token);
  row('a batch', { batch: 2, tokens: 1, past: 4, lengths: [4, 4], total: 5 });
  row(
    'lengths that differ',
    { batch: 2, tokens: 1, past: 4, lengths: [2, 4], total: 5 },
    {},
    { outputs: 1, by: { outputs: 3 } },
  );
  row('a cache of full length', { tokens: 1, past: 9, lengths: [5], total: 6 }, {}, { outputs: 1, by: { outputs: 3 } });
  const caches = () => [f([8, 8]), f([8, 8])];
  for (const rotary_interleaved of [0, 1]) {
    row(
      `turned, interleaved ${rotary_interleaved}`,
      { ...prompt, rest: caches() },
      { do_rotary: 1, rotary_interleaved },
    );
    row(
      `a token turned, interleaved ${rotary_interleaved}`,
      { ...token, rest: caches() },
      { do_rotary: 1, rotary_interleaved },
    );
  }
  row('a window', { tokens: 6, lengths: [5], total: 6 }, { local_window_size: 3 });
  row('a window, a token', token, { local_window_size: 3 });
  row('capped and scaled', prompt, { softcap: 1.5, scale: 0.5 });
  row('smooth', prompt, { smooth_softmax: 1 });
  row('a bias', { ...prompt, rest: [null, null, null, f([1, 1, 5, 5])] });
  row('sinks', { ...prompt, rest: [null, null, null, null, f([4])] });
  add(op, 1, 'all in one', {
    inputs: [f([1, 3, 128]), null, null, null, null, i32([1], [2]), i32([1], [3]), ...caches()],
    attributes: { ...heads, do_rotary: 1 },
    outputs: 3,
  });
  row('more than the past', { tokens: 1, past: 3, lengths: [5], total: 6 }, {}, { error: /seqlens_k/ });
}

// Tensors [batch][tokens][heads * size] as one [batch][tokens][heads][tensors][size].
function sideBySide(list, heads) {
  const [batch, tokens, hidden] = list[0].dims;
  const size = hidden / heads;
  const data = [];
  for (let row = 0; row < batch * tokens * heads; row++)
    for (const t of list) data.push(...t.data.slice(row * size, row * size + size));
  return make('float32', [batch, tokens, heads, list.length, size], data);
}

function attentionRows(add) {
  const mha = name('MultiHeadAttention');
  const heads = { num_heads: 2 };
  // 2 heads of 4.
  const qkv = (t, batch, queries, keys = queries) => [
    make(t, [batch, queries, 8], 'unit'),
    make(t, [batch, keys, 8], 'unit'),
    make(t, [batch, keys, 8], 'unit'),
  ];
  everyType(add, 'MultiHeadAttention', (t) => qkv(t, 2, 3), { attributes: heads });
  const row = (label, inputs, more = {}) =>
    add(mha, 1, label, { inputs, ...more, attributes: { ...heads, ...more.attributes } });
  row('other keys', qkv('float32', 2, 3, 5));
  row('a bias of the projection', [...qkv('float32', 2, 3), f([24])]);
  row('causal and scaled', qkv('float32', 1, 4), { attributes: { unidirectional: 1, scale: 0.3 } });
  row('lengths', [...qkv('float32', 2, 3), null, i32([2], [3, 1])]);
  row('a mask of keys', [...qkv('float32', 2, 3), null, i32([2, 3], [1, 1, 0, 0, 1, 1])]);
  row('a mask of scores', [...qkv('float32', 1, 2, 3), null, i32([1, 2, 3], [1, 1, 0, 0, 1, 1])]);
  row('another value for what is masked', [...qkv('float32', 1, 3), null, i32([1, 3], [1, 1, 0])], {
    attributes: { mask_filter_value: -1.5 },
  });
  row('added to the scores', [...qkv('float32', 2, 3), null, null, f([1, 2, 3, 3])]);
  row('mask and bias', [...qkv('float32', 2, 3), null, i32([2, 3], [1, 1, 0, 0, 1, 1]), f([2, 2, 3, 3])]);
  const past = () => [f([1, 2, 2, 4]), f([1, 2, 2, 4])];
  row('with a past', [...qkv('float32', 1, 3), null, null, null, ...past()], { outputs: 3 });
  row('keys with their heads first', [f([1, 3, 8]), f([1, 2, 5, 4]), f([1, 2, 5, 4])]);
  const packed = qkv('float32', 2, 3);
  row('queries, keys and values packed', [sideBySide(packed, 2)], { by: { inputs: packed } });
  const [queries, ...pair] = qkv('float32', 2, 3, 5);
  row('keys and values packed', [queries, sideBySide(pair, 2)], { by: { inputs: [queries, ...pair] } });
  row('wider values', [f([2, 3, 8]), f([2, 5, 8]), f([2, 5, 12])]);
  row('keys of another width', [f([2, 3, 8]), f([2, 5, 6]), f([2, 5, 8])], { error: /keys/ });

  const attention = name('Attention');
  const projected = (t, batch, tokens, width = 24) => [
    make(t, [batch, tokens, 6], 'unit'),
    make(t, [6, width], 'unit'),
    make(t, [width], 'unit'),
  ];
  everyType(add, 'Attention', (t) => projected(t, 2, 3), { attributes: heads });
  const own = (label, inputs, more = {}) =>
    add(attention, 1, label, { inputs, ...more, attributes: { ...heads, ...more.attributes } });
  own('causal', projected('float32', 1, 4), { attributes: { unidirectional: 1 } });
  own('ends', [...projected('float32', 2, 3), i32([2], [3, 1])]);
  own('ends and starts', [...projected('float32', 2, 3), i32([4], [3, 2, 0, 1])]);
  own('a mask', [...projected('float32', 2, 3), i32([2, 3], [1, 1, 0, 0, 1, 1])]);
  own('with a past', [...projected('float32', 1, 2), null, f([2, 1, 2, 3, 4])], { outputs: 2 });
  own('the first tokens', projected('float32', 1, 2), { outputs: 2, attributes: { unidirectional: 1 } });
  own('values of another width', projected('float32', 2, 3, 20), { attributes: { qkv_hidden_sizes: [8, 8, 4] } });
  own('added to the scores', [...projected('float32', 2, 3), null, null, f([2, 2, 3, 3])]);
  own('weights that do not fit', [f([1, 2, 5]), f([6, 24]), f([24])], { error: /weights/ });

  const q = name('QAttention');
  const quantized = [
    make('uint8', [2, 3, 6], 'byte'),
    weightsOf('int8', [6, 24]),
    f([24]),
    scalar('float32', 0.02),
    scalar('float32', 0.01),
    i32([2], [3, 2]),
    scalar('uint8', 7),
    scalar('int8', 3),
  ];
  add(q, 1, 'uint8', { inputs: quantized, attributes: heads });
  // The same less 128, which the reference lacks.
  const lower = (v) =>
    make(
      'int8',
      v.dims,
      Array.from(v.data, (x) => x - 128),
    );
  add(q, 1, 'int8', {
    inputs: quantized.map((v) => (v.type === 'uint8' ? lower(v) : v)),
    attributes: heads,
    by: { inputs: quantized },
  });
  add(q, 1, 'scales of columns, with a past', {
    inputs: [
      make('uint8', [1, 3, 6], 'byte'),
      make('uint8', [6, 24], 'byte'),
      f([24]),
      scalar('float32', 0.02),
      f([24], 'fraction'),
      null,
      scalar('uint8', 120),
      make('uint8', [24], 'byte'),
      f([2, 1, 2, 2, 4]),
    ],
    attributes: { ...heads, unidirectional: 1 },
    outputs: 2,
  });
}

function integerRows(add) {
  const dynamic = name('DynamicQuantizeMatMul');
  for (const type of ['int8', 'uint8']) {
    add(dynamic, 1, type, {
      inputs: [f([3, 8], 'small'), weightsOf(type, [8, 5]), scalar('float32', 0.02), scalar(type, 9)],
    });
    add(dynamic, 1, `${type}, by columns, with a bias`, {
      inputs: [f([2, 3, 8], 'small'), weightsOf(type, [8, 5]), f([5], 'fraction'), make(type, [5], 'byte'), f([5])],
    });
  }
  add(dynamic, 1, 'no zero point, a row', {
    inputs: [f([1, 8], 'small'), weightsOf('int8', [8, 9]), f([1], 'fraction')],
  });
  const toFloat = name('MatMulIntegerToFloat');
  for (const a of ['int8', 'uint8']) {
    for (const b of ['int8', 'uint8']) {
      const inputs = [make(a, [2, 8], 'byte'), weightsOf(b, [8, 5]), scalar('float32', 0.01), scalar('float32', 0.02)];
      if (!(a === 'int8' && b === 'uint8')) {
        add(toFloat, 1, `${a} by ${b}`, { inputs });
        add(toFloat, 1, `${a} by ${b}, zero points, a bias`, {
          inputs: [...inputs, scalar(a, 5), scalar(b, 100), f([5])],
        });
      }
    }
  }
  add(toFloat, 1, 'floats', {
    inputs: [f([2, 8]), make('int8', [8, 5]), scalar('float32', 1), scalar('float32', 1)],
    error: /float32/,
  });
  const gemm = name('QGemm');
  for (const type of ['uint8', 'int8']) {
    const inputs = (dims) => [
      make(type, dims, 'byte'),
      scalar('float32', 0.02),
      scalar(type, 3),
      weightsOf('int8', [8, 5]),
      scalar('float32', 0.03),
      scalar('int8', 1),
    ];
    add(gemm, 1, `${type} to floats`, { inputs: inputs([3, 8]) });
    const bias = i32([5], [100, -200, 3000, 4, 5]);
    add(gemm, 1, `${type} transposed, quantized`, {
      inputs: [...inputs([8, 3]), bias, scalar('float32', 0.5), scalar(type, 60)],
      attributes: { transA: 1, alpha: 0.5 },
    });
  }
}

function qlinearRows(add) {
  const params = (type, scale, zero) => [scalar('float32', scale), scalar(type, zero)];
  for (const type of ['uint8', 'int8']) {
    for (const op of ['QLinearAdd', 'QLinearMul']) {
      const inputs = (a, b) => [
        make(type, a, 'byte'),
        ...params(type, 0.0625, 3),
        make(type, b, 'byte'),
        ...params(type, 0.125, 100),
        ...params(type, op === 'QLinearAdd' ? 0.25 : 1.5, 10),
      ];
      add(name(op), 1, type, { inputs: inputs([2, 5], [2, 5]) });
      add(name(op), 1, `${type} broadcast`, { inputs: inputs([2, 3, 5], [3, 1]) });
    }
    const one = (dims) => [make(type, dims, 'byte'), ...params(type, 0.0625, 3), ...params(type, 0.02, 10)];
    add(name('QLinearSigmoid'), 1, type, { inputs: one([2, 20]) });
    add(name('QLinearLeakyRelu'), 1, type, { inputs: one([2, 20]), attributes: { alpha: 0.3 } });
    add(name('QLinearConcat'), 1, type, {
      inputs: [
        ...params(type, 0.5, 10),
        make(type, [2, 3], 'byte'),
        ...params(type, 0.5, 10),
        make(type, [2, 4], 'byte'),
        ...params(type, 0.25, 5),
      ],
      attributes: { axis: 1 },
    });
    const pooled = (dims) => [make(type, dims, 'byte'), ...params(type, 0.5, 3), ...params(type, 0.25, 10)];
    add(name('QLinearAveragePool'), 1, type, {
      inputs: pooled([1, 2, 5, 5]),
      attributes: { kernel_shape: [2, 2], strides: [2, 1], pads: [0, 1, 0, 0] },
    });
    add(name('QLinearGlobalAveragePool'), 1, type, { inputs: pooled([2, 3, 4, 4]) });
    add(name('QLinearSoftmax'), 1, type, {
      inputs: [
        make(type, [3, 6], 'byte'),
        ...params(type, 0.02, 3),
        ...params(type, 0.00390625, type === 'int8' ? -128 : 0),
      ],
      attributes: { opset: 13, axis: -1 },
    });
  }
  for (const type of typesAt(name('DequantizeLinear'), 1))
    add(name('DequantizeLinear'), 1, type, {
      inputs: [make(type, [2, 3]), make('float32', [3], 'fraction'), ...(type === 'int32' ? [] : [make(type, [3])])],
      attributes: { axis: 1 },
      ...(/int4/.test(type) ? { by: { op: 'DequantizeLinear', at: 21 } } : {}),
    });
  for (const type of ['int8', 'uint8', 'int16', 'uint16'])
    add(name('QuantizeLinear'), 1, `to ${type}`, {
      inputs: [f([2, 3], 'wide'), scalar('float32', 0.3), make(type, [], [1])],
    });
  add(name('QuantizeLinear'), 1, 'float16', { inputs: [make('float16', [2, 3], 'wide'), make('float16', [], [0.5])] });
}

function linearRows(add) {
  everyType(add, 'FusedMatMul', (t) => [make(t, [2, 3, 4]), make(t, [2, 5, 4])], {
    attributes: { transB: 1, alpha: 0.5 },
  });
  const matmul = (label, a, b, attributes) => add(name('FusedMatMul'), 1, label, { inputs: [f(a), f(b)], attributes });
  matmul('A transposed', [2, 4, 3], [4, 5], { transA: 1 });
  matmul('both transposed', [4, 3], [5, 4], { transA: 1, transB: 1, alpha: 3 });
  matmul('the batch behind', [3, 2, 4], [2, 4, 5], { transBatchA: 1 });
  matmul('the batch behind, transposed', [4, 2, 3], [5, 2, 4], {
    transBatchA: 1,
    transA: 1,
    transBatchB: 1,
    transB: 1,
  });
  everyTypeOf(add, 'TransposeMatMul', (t) => [make(t, [3, 4]), make(t, [5, 4])], { transB: 1 });
  everyTypeOf(add, 'FusedGemm', (t) => [make(t, [3, 4]), make(t, [4, 5]), make(t, [5])], { activation: 'Relu' });
  add(name('FusedGemm'), 1, 'leaky', {
    inputs: [f([3, 4]), f([5, 4])],
    attributes: { activation: 'LeakyRelu', activation_alpha: 0.3, transB: 1, alpha: 2 },
  });
  everyTypeOf(add, 'FusedConv', (t) => [make(t, [1, 2, 5, 5]), make(t, [3, 2, 3, 3]), make(t, [3])], {
    activation: 'Relu',
  });
  for (const [activation, ...activation_params] of [
    ['Tanh'],
    ['Sigmoid'],
    ['LeakyRelu', 0.2],
    ['Clip', -0.5, 1.5],
    ['HardSigmoid', 0.3, 0.4],
  ])
    add(name('FusedConv'), 1, activation, {
      inputs: [f([1, 2, 5, 5]), f([3, 2, 3, 3]), f([3])],
      attributes: { activation, ...(activation_params.length ? { activation_params } : {}), pads: [1, 1, 1, 1] },
    });
  add(name('FusedConv'), 1, 'with an addend', {
    inputs: [f([1, 2, 5, 5]), f([3, 2, 3, 3]), f([3]), f([1, 3, 3, 3])],
    attributes: { activation: 'Relu' },
  });
  add(name('FusedConv'), 1, 'an unknown activation', {
    inputs: [f([1, 1, 3, 3]), f([1, 1, 3, 3])],
    attributes: { activation: 'Selu' },
    error: /Selu/,
  });
}

// float64 in float32 where the reference lacks it; integers are left to the operators of the standard.
function everyTypeOf(add, op, inputs, attributes) {
  for (const type of typesAt(name(op), 1)) {
    if (/float/.test(type)) add(name(op), 1, type, { inputs: inputs(type), attributes, single: true });
    else add(name(op), 1, type, { inputs: inputs(type), attributes: {}, by: { op: op.slice(5), at: 13 } });
  }
}

function activationRows(add) {
  for (const op of ['Gelu', 'QuickGelu']) everyTypeOf(add, op, (t) => [make(t, [3, 7])], {});
  for (const op of ['BiasGelu', 'FastGelu']) everyTypeOf(add, op, (t) => [make(t, [3, 7]), make(t, [7])], {});
  add(name('FastGelu'), 1, 'no bias', { inputs: [f([3, 7], 'wide')] });
  add(name('QuickGelu'), 1, 'another alpha', { inputs: [f([3, 7])], attributes: { alpha: 1 } });
  add(name('BiasGelu'), 1, 'another bias', { inputs: [f([3, 7]), f([3])], error: /bias/ });
}

function gatherRows(add) {
  const op = name('GatherBlockQuantized');
  const at = { block_size: 16, gather_axis: 0, quantize_axis: 1 };
  const ids = make('int64', [2, 2], [0, 3, 1, -1]);
  // What the reference's JavaScript has no types for is computed here.
  for (const type of ['uint4', 'int4']) {
    for (const zeros of [false, true]) {
      const data = make(type, [4, 40]);
      const scales = f([4, 3], 'fraction');
      const zero = zeros ? make(type, [4, 3]) : null;
      const [values, points] = [numbersOf(data), zero ? numbersOf(zero) : Array(12).fill(0)];
      const rows = [0, 3, 1, 3].flatMap((r) =>
        Array.from({ length: 40 }, (_, i) => {
          const block = r * 3 + Math.floor(i / 16);
          return (values[r * 40 + i] - points[block]) * scales.data[block];
        }),
      );
      add(op, 1, `${type}${zeros ? ' with zero points' : ''}`, {
        inputs: [data, ids, scales, ...(zero ? [zero] : [])],
        attributes: at,
        expect: [make('float32', [2, 2, 40], rows)],
      });
    }
    const data = make(type, [32, 3, 2]);
    const scales = f([2, 3, 2], 'fraction');
    const values = numbersOf(data);
    const rows = Array.from({ length: 32 }, (_, i) =>
      [2, 0].flatMap((j) =>
        [0, 1].map((k) => values[(i * 3 + j) * 2 + k] * scales.data[(Math.floor(i / 16) * 3 + j) * 2 + k]),
      ),
    );
    add(op, 1, `${type} along other axes`, {
      inputs: [data, make('int32', [2], [2, 0]), scales],
      attributes: { block_size: 16, gather_axis: 1, quantize_axis: 0 },
      expect: [make('float32', [32, 2, 2], rows.flat())],
    });
  }
  for (const bits of [4, 8]) {
    const data = () => make('uint8', [4, 4 * bits], 'byte');
    add(op, 1, `${bits} bits in bytes`, { inputs: [data(), ids, f([4, 2], 'fraction')], attributes: { ...at, bits } });
    add(op, 1, `${bits} bits in bytes, zero points`, {
      inputs: [data(), ids, f([4, 2], 'fraction'), make('uint8', [4, bits / 4], 'byte')],
      attributes: { ...at, bits },
    });
  }
}

function stateRows(add) {
  const conv = name('CausalConvWithState');
  everyType(add, 'CausalConvWithState', (t) => [make(t, [2, 3, 5], 'unit'), make(t, [3, 1, 4], 'unit')], {
    outputs: 2,
  });
  add(conv, 1, 'from a state, with a bias', {
    inputs: [f([1, 3, 1]), f([3, 1, 4]), f([3]), f([1, 3, 3])],
    outputs: 2,
    attributes: { activation: 'silu' },
  });
  add(conv, 1, 'more axes', {
    inputs: [f([1, 2, 3, 4]), f([2, 1, 2, 2])],
    outputs: 2,
    attributes: { ndim: 2 },
    error: /ndim/,
  });
  const attention = name('LinearAttention');
  const qkv = (t) => [make(t, [1, 3, 8], 'unit'), make(t, [1, 3, 4], 'unit'), make(t, [1, 3, 6], 'unit')];
  const heads = { q_num_heads: 4, kv_num_heads: 2 };
  everyType(
    add,
    'LinearAttention',
    (t) => [...qkv(t), null, make(t, [1, 3, 2], 'unit'), make(t, [1, 3, 2], 'fraction')],
    {
      outputs: 2,
      attributes: heads,
    },
  );
  for (const [update_rule, decay, beta] of [
    ['linear', false, false],
    ['gated', true, false],
    ['delta', false, true],
  ])
    add(attention, 1, update_rule, {
      inputs: [
        ...qkv('float32'),
        f([1, 2, 2, 3]),
        ...(decay || beta ? [decay ? f([1, 3, 4], 'fraction') : null] : []),
        ...(beta ? [f([1, 3, 2], 'fraction')] : []),
      ],
      outputs: 2,
      attributes: { ...heads, update_rule, scale: 0.5 },
    });
}

export function rows(add) {
  weightRows(add);
  normRows(add);
  rotaryRows(add);
  groupedRows(add);
  attentionRows(add);
  integerRows(add);
  qlinearRows(add);
  linearRows(add);
  activationRows(add);
  gatherRows(add);
  lstmRows(add);
  tableRows(add);
  poolRows(add);
  stateRows(add);
}

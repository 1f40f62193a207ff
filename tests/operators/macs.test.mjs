// session.macs() beside the multiplications of naive computations, counted one by one: every operator of the table that
// is made of products, with its shapes declared and with all of them left open; and no other operator has any.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelProto } from '../conformance/schema.mjs';
import { kTypes } from '../js/make_model.mjs';
import { InferenceSession } from '../models/package.mjs';
import { toApi } from './check.mjs';
import { modelOf } from './model.mjs';
import { indicesOf } from './naive.mjs';
import { splitName } from './schemas.mjs';
import { readTable } from './table.mjs';
import { make, numbersOf } from './values.mjs';

/** How often the innermost of loops over these sizes is reached. */
function loops(...sizes) {
  let n = 0;
  for (const _ of indicesOf(sizes)) n++;
  return n;
}

// Each element of the result meets a row of A; `inner` is A's axis of it.
const matmul =
  (a = 0, b = 1) =>
  ({ inputs, attributes = {} }) => {
    const axes = (i, trans, transBatch) => {
      let dims = inputs[i].dims;
      if (transBatch) dims = [...dims.slice(1, -1), dims[0], dims.at(-1)];
      return trans ? [...dims.slice(0, -2), dims.at(-1), dims.at(-2)] : dims;
    };
    const left = axes(a, attributes.transA, attributes.transBatchA);
    const right = axes(b, attributes.transB, attributes.transBatchB);
    const batch = (dims) => dims.slice(0, -2);
    const rank = Math.max(batch(left).length, batch(right).length);
    const both = Array.from({ length: rank }, (_, i) => {
      const sizes = [left, right].map((dims) => batch(dims)[batch(dims).length - rank + i] ?? 1);
      return sizes.find((size) => size !== 1) ?? 1;
    });
    return loops(...both, left.length > 1 ? left.at(-2) : 1, right.length > 1 ? right.at(-1) : 1, left.at(-1));
  };
const gemm =
  (b = 1) =>
  ({ inputs, attributes = {} }) => {
    const [rows, inner] = attributes.transA ? inputs[0].dims.toReversed() : inputs[0].dims;
    return loops(rows, attributes.transB ? inputs[b].dims[0] : inputs[b].dims[1], inner);
  };
const packed = ({ inputs, attributes: { K, N } }) => loops(...inputs[0].dims.slice(0, -1), N, K);
// Each element of the result is a sum over the weights of its channel, those that meet padding included.
const conv =
  (w = 1) =>
  ({ inputs }, [y]) =>
    loops(...y.dims, ...inputs[w].dims.slice(1));
const scattered = ({ inputs: [x, w] }) => loops(...x.dims, ...w.dims.slice(1));
const recurrent =
  (lines, width) =>
  ({ inputs: [x, w, r] }) => {
    const [, gates] = lines(w);
    return (
      loops(x.dims[0], x.dims[1], w.dims[0], gates, width(w)) + loops(x.dims[0], x.dims[1], r.dims[0], gates, width(r))
    );
  };
const attention = (batch, heads, queries, total, size, vSize) =>
  loops(batch, heads, queries, total, size) + loops(batch, heads, queries, total, vSize);

function standardAttention({ inputs: [q, k, v, , past], attributes = {} }) {
  const flat = q.dims.length === 3;
  const heads = flat ? attributes.q_num_heads : q.dims[1];
  const kvHeads = flat ? attributes.kv_num_heads : k.dims[1];
  const size = (x, n) => (flat ? x.dims[2] / n : x.dims[3]);
  const total = k.dims.at(-2) + (past?.dims[2] ?? 0);
  return attention(q.dims[0], heads, q.dims.at(-2), total, size(q, heads), size(v, kvHeads));
}

function multiHead({ inputs: [q, k, v, , , , past, , pastLength], attributes: { num_heads: heads } }) {
  if (!k) return attention(q.dims[0], heads, q.dims[1], q.dims[1], q.dims[4], q.dims[4]);
  const keys = k.dims[k.dims.length === 4 ? 2 : 1];
  const size = q.dims[2] / heads;
  const vSize = v ? (v.dims.length === 4 ? v.dims[3] : v.dims[2] / heads) : size;
  const before = pastLength ? numbersOf(pastLength)[0] : (past?.dims[2] ?? 0);
  return attention(q.dims[0], heads, q.dims[1], keys + before, size, vSize);
}

const projected =
  (past) =>
  ({ inputs, attributes: { num_heads: heads, qkv_hidden_sizes: widths } }) => {
    const [x, w] = inputs;
    const [batch, rows, inner] = x.dims;
    const [hidden, , vHidden] = widths ?? Array(3).fill(w.dims[1] / 3);
    const total = rows + (inputs[past]?.dims[3] ?? 0);
    return loops(batch, rows, w.dims[1], inner) + attention(batch, heads, rows, total, hidden / heads, vHidden / heads);
  };

function grouped({ inputs: [q, k, , , , , total], attributes: { num_heads: heads, kv_num_heads: kvHeads } }) {
  const size = q.dims[2] / (k ? heads : heads + 2 * kvHeads);
  return attention(q.dims[0], heads, q.dims[1], numbersOf(total)[0], size, size);
}

function linearAttention({ inputs: [q, k, v], attributes }) {
  const { q_num_heads: heads, kv_num_heads: kvHeads, update_rule: rule = 'gated_delta' } = attributes;
  const [keys, values] = [k.dims[2] / kvHeads, v.dims[2] / kvHeads];
  const each = (times) => loops(q.dims[0], q.dims[1], times, keys, values);
  return each(heads) + each(kvHeads) + (rule.includes('delta') ? each(kvHeads) : 0);
}

// Two operands at a time, those with the smallest result first; what one of them alone has is summed before.
function einsum({ inputs, attributes: { equation } }) {
  const [left, right] = equation.replaceAll(' ', '').split('->');
  const lengths = new Map();
  let operands = left.split(',').map((term, i) => {
    const { dims } = inputs[i];
    const letters = [...term.replace('...', '')];
    const more = Array.from({ length: dims.length - letters.length }, (_, n) => `.${dims.length - letters.length - n}`);
    const at = term.indexOf('...');
    const names = at < 0 ? letters : [...letters.slice(0, at), ...more, ...letters.slice(at)];
    for (const [d, name] of names.entries()) lengths.set(name, Math.max(lengths.get(name) ?? 0, dims[d]));
    return new Set(names);
  });
  const all = operands.flatMap((set) => [...set]);
  const output = new Set(
    right === undefined
      ? all.filter((name) => name.startsWith('.') || all.indexOf(name) === all.lastIndexOf(name))
      : [...right.replace('...', ''), ...all.filter((name) => name.startsWith('.'))],
  );
  const sizesOf = (set) => [...set].map((name) => lengths.get(name));
  let n = 0;
  while (operands.length > 1) {
    const pairs = [...operands.keys()].flatMap((i) => [...operands.keys()].slice(i + 1).map((j) => [i, j]));
    const options = pairs.map(([i, j]) => {
      const others = operands.filter((_, k) => k !== i && k !== j);
      const needed = new Set([...output, ...others.flatMap((set) => [...set])]);
      const [a, b] = [operands[i], operands[j]];
      const met = new Set([...a, ...b].filter((name) => needed.has(name) || (a.has(name) && b.has(name))));
      const result = new Set([...met].filter((name) => needed.has(name)));
      return { met, result, others, size: sizesOf(result).reduce((x, y) => x * y, 1) };
    });
    const [best] = options.sort((a, b) => a.size - b.size);
    n += loops(...sizesOf(best.met));
    operands = [...best.others, best.result];
  }
  return n;
}

const rowsOf = (x) => (x.dims.length === 1 ? 1 : x.dims[0]);
const linear = ({ inputs: [x], attributes: { coefficients } }) => loops(rowsOf(x), coefficients.length);
function svm({ inputs: [x], attributes: { coefficients, support_vectors: vectors } }) {
  const features = x.dims.at(-1);
  return loops(rowsOf(x), (vectors?.length ? vectors : coefficients).length / features, features);
}

const gatesOf = recurrent(
  (w) => [w.dims[0], w.dims[1]],
  (w) => w.dims[2],
);
const ms = (op) => `com.microsoft.${op}`;
const kNaive = {
  MatMul: matmul(),
  MatMulInteger: matmul(),
  QLinearMatMul: matmul(0, 3),
  Gemm: gemm(),
  Einsum: einsum,
  Conv: conv(),
  ConvInteger: conv(),
  QLinearConv: conv(3),
  DeformConv: conv(),
  ConvTranspose: scattered,
  CausalConvWithState: scattered,
  RNN: gatesOf,
  GRU: gatesOf,
  LSTM: gatesOf,
  Attention: standardAttention,
  LinearAttention: linearAttention,
  'ai.onnx.ml.LinearClassifier': linear,
  'ai.onnx.ml.LinearRegressor': linear,
  'ai.onnx.ml.SVMClassifier': svm,
  'ai.onnx.ml.SVMRegressor': svm,
  [ms('FusedMatMul')]: matmul(),
  [ms('TransposeMatMul')]: matmul(),
  [ms('DynamicQuantizeMatMul')]: matmul(),
  [ms('MatMulIntegerToFloat')]: matmul(),
  [ms('FusedGemm')]: gemm(),
  [ms('QGemm')]: gemm(3),
  [ms('FusedConv')]: conv(),
  [ms('MatMulNBits')]: packed,
  [ms('MatMulBnb4')]: packed,
  [ms('DynamicQuantizeLSTM')]: recurrent(
    (w) => [w.dims[0], w.dims[2]],
    (w) => w.dims[1],
  ),
  [ms('Attention')]: projected(4),
  [ms('QAttention')]: projected(8),
  [ms('MultiHeadAttention')]: multiHead,
  [ms('GroupQueryAttention')]: grouped,
  [ms('CausalConvWithState')]: scattered,
  [ms('LinearAttention')]: linearAttention,
};

/** The model with every dimension of its inputs left open. */
function opened(bytes) {
  const model = ModelProto.decode(bytes);
  for (const { name, type } of model.graph.input) {
    for (const [i, dim] of (type.tensor_type?.shape?.dim ?? []).entries()) {
      Object.assign(dim, { dim_value: undefined, dim_param: `${name}_${i}` });
    }
  }
  return ModelProto.encode(ModelProto.fromObject(ModelProto.toObject(model))).finish();
}

async function countsOf(row, model) {
  const session = await InferenceSession.create(model);
  try {
    const before = session.macs();
    const fed = row.inputs.flatMap((value, i) => (value ? [[`i${i}`, toApi(value)]] : []));
    const outputs = Object.values(await session.run(Object.fromEntries(fed)));
    return { before, after: session.macs(), outputs };
  } finally {
    await session.release();
  }
}

const kTypeName = new RegExp(`\\b(${Object.keys(kTypes).join('|')})\\b`, 'g');
const rows = (await readTable()).filter((row) => !row.error);
const f = (dims) => make('float32', dims, 'unit');
const more = [
  ...[
    ['ij,jk,kl->il', [2, 3], [3, 4], [4, 5]],
    ['ab,cd->', [2, 3], [4, 5]],
    ['...ij,...jk->...ik', [1, 2, 3], [4, 3, 5]],
    ['bhqd,bhkd->bhqk', [2, 3, 4, 5], [2, 3, 6, 5]],
    ['ii,i->', [3, 3], [3]],
  ].map(([equation, ...shapes]) => ({
    op: 'Einsum',
    at: 12,
    name: equation,
    inputs: shapes.map(f),
    attributes: { equation },
  })),
  {
    ...{ op: 'LSTM', at: 14, name: 'the last state only', outputs: ['', 'o1'], attributes: { hidden_size: 3 } },
    inputs: [f([4, 2, 5]), f([1, 12, 5]), f([1, 12, 3])],
  },
];

for (const [op, naive] of Object.entries(kNaive)) {
  test(op, async () => {
    // A count is the same in every type.
    const types = new Set();
    const mine = [...rows, ...more].filter((row) => {
      if (row.op !== op) return false;
      const key = `${row.at} ${row.name.replaceAll(kTypeName, 'T')}`;
      return !types.has(key) && types.add(key);
    });
    assert.ok(mine.length > 0);
    for (const row of mine) {
      const named = `${row.at} ${row.name}`;
      const fixed = await countsOf(row, modelOf(row));
      const expected = naive(row, fixed.outputs);
      assert.equal(fixed.after, expected, named);
      // Where lengths are data, they are known when the node runs.
      assert.ok(fixed.before === expected || (fixed.before === 0 && op === ms('GroupQueryAttention')), named);
      const open = await countsOf(row, opened(modelOf(row)));
      const declared = row.inputs.some((value) => value?.dims.length > 0);
      assert.deepEqual([open.before, open.after], [declared ? undefined : expected, expected], `${named}, open`);
    }
  });
}

test('no other operator', async () => {
  const groups = new Map();
  for (const row of rows) {
    const key = `${splitName(row.op)[0]} ${row.at} ${row.file}`;
    if (!(row.op in kNaive)) groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  for (const group of groups.values()) {
    const session = await InferenceSession.create(modelOf(group));
    const fed = group.flatMap((row, n) =>
      row.inputs.flatMap((value, i) => (value ? [[`r${n}_i${i}`, toApi(value)]] : [])),
    );
    const known = fed.filter(([name]) => session.inputNames.includes(name));
    await session.run(Object.fromEntries(known));
    const count = session.macs();
    await session.release();
    assert.equal(count, 0, group.map(({ id }) => id).join(', '));
  }
});

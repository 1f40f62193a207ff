// Caches that grow by a token with each run, as decoders have them: pinned, nothing of the past is copied.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { make } from '../operators/values.mjs';
import { InferenceSession, makeModel, node, port, Tensor, tensorType } from './make_model.mjs';

const pinned = { preferredOutputLocation: 'cpu-pinned' };
const [kHeads, kSize] = [2, 4];
const kWidth = kHeads * kSize;
const weights = (name, dims) => ({
  name,
  data_type: 1,
  dims,
  raw_data: new Uint8Array(make('float32', dims, 'unit').data.buffer),
});
const int = (name, i) => ({ name, i, type: 2 });
const cache = ['batch', kHeads, 'past', kSize];
const grown = ['batch', kHeads, 'total', kSize];
const kSplit = [
  ...['q', 'k', 'v'].map((x) => port(x, tensorType('float32', ['batch', 'tokens', kWidth]))),
  port('pk', tensorType('float32', cache)),
  port('pv', tensorType('float32', cache)),
];
const kGrown = [
  port('y', undefined),
  port('nk', tensorType('float32', grown)),
  port('nv', tensorType('float32', grown)),
];
const ms = {
  opset_import: [
    { domain: 'com.microsoft', version: 1 },
    { domain: '', version: 21 },
  ],
};

// What exporters write: heads are turned to the front, joined with the past, repeated, and multiplied.
function written(group) {
  const perm = (list) => ({ attribute: [{ name: 'perm', ints: list, type: 7 }] });
  const ints = (name, list) => ({
    name,
    data_type: 7,
    dims: [list.length],
    raw_data: new Uint8Array(BigInt64Array.from(list, BigInt).buffer),
  });
  const axis = (i) => ({ attribute: [int('axis', i)] });
  const nodes = [
    node('Reshape', ['q', 'q_dims'], ['q4']),
    node('Transpose', ['q4'], ['qh'], perm([0, 2, 1, 3])),
    node('MatMul', ['qh', 'keys'], ['s']),
    node('Mul', ['s', 'factor'], ['scaled']),
    node('Softmax', ['scaled'], ['p']),
    node('MatMul', ['p', 'v_all'], ['y']),
  ];
  for (const x of ['v', 'k']) {
    const all = group > 1 ? `${x}_all` : `n${x}`;
    const repeated = [
      node('Unsqueeze', [`n${x}`, 'two'], [`${x}5`]),
      node('Expand', [`${x}5`, 'wide'], [`${x}_wide`]),
      node('Reshape', [`${x}_wide`, 'all'], [all]),
    ];
    nodes.unshift(
      node('Reshape', [x, 'k_dims'], [`${x}4`]),
      node('Transpose', [`${x}4`], [`${x}h`], perm([0, 2, 1, 3])),
      node('Concat', [`p${x}`, `${x}h`], [`n${x}`], axis(2)),
      ...(group > 1 ? repeated : []),
      ...(x === 'k' ? [node('Transpose', [all], ['keys'], perm([0, 1, 3, 2]))] : []),
    );
    if (group === 1 && x === 'v') nodes.at(-1).input[1] = 'nv';
  }
  const inputs = structuredClone(kSplit);
  inputs[0].type = tensorType('float32', ['batch', 'tokens', group * kWidth]);
  return {
    node: nodes,
    input: inputs,
    output: kGrown,
    initializer: [
      ints('q_dims', [0, 0, group * kHeads, kSize]),
      ints('k_dims', [0, 0, kHeads, kSize]),
      ints('two', [2]),
      ints('wide', [1, 1, group, 1, 1]),
      ints('all', [0, group * kHeads, -1, kSize]),
      { ...weights('factor', [1]), raw_data: new Uint8Array(Float32Array.of(0.5).buffer) },
    ],
  };
}

const microsoft = (type, inputs, outputs, attribute) => [
  node(type, inputs, outputs, { domain: 'com.microsoft', attribute }),
];
const heads = [int('num_heads', kHeads)];
const kModels = {
  'Concat in front of written attention': [written(1), {}],
  'Concat, with heads for groups of queries': [written(2), {}, 2],
  'Attention of the standard': [
    {
      node: [
        node('Attention', ['q', 'k', 'v', '', 'pk', 'pv'], ['y', 'nk', 'nv'], {
          attribute: [int('q_num_heads', kHeads), int('kv_num_heads', kHeads)],
        }),
      ],
      input: kSplit,
      output: kGrown,
    },
    { opset_import: [{ domain: '', version: 23 }] },
  ],
  MultiHeadAttention: [
    {
      node: microsoft('MultiHeadAttention', ['q', 'k', 'v', '', '', '', 'pk', 'pv'], ['y', 'nk', 'nv'], heads),
      input: kSplit,
      output: kGrown,
    },
    ms,
  ],
  'com.microsoft Attention': [
    {
      node: microsoft('Attention', ['x', 'w', 'b', '', 'past'], ['y', 'present'], heads),
      input: [
        port('x', tensorType('float32', ['batch', 'tokens', kWidth])),
        port('past', tensorType('float32', [2, ...cache])),
      ],
      output: [port('y', undefined), port('present', tensorType('float32', [2, ...grown]))],
      initializer: [weights('w', [kWidth, 3 * kWidth]), weights('b', [3 * kWidth])],
    },
    ms,
  ],
  GroupQueryAttention: [
    {
      node: microsoft(
        'GroupQueryAttention',
        ['q', 'k', 'v', 'pk', 'pv', 'lengths', 'total'],
        ['y', 'nk', 'nv'],
        [...heads, int('kv_num_heads', kHeads)],
      ),
      input: [...kSplit, port('lengths', tensorType('int32', ['batch'])), port('total', tensorType('int32', [1]))],
      output: kGrown,
    },
    ms,
  ],
};

let seed = 0;
const random = (dims) => {
  const data = Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 31 - 1;
  });
  return new Tensor('float32', data, dims);
};

/** Names of results by those of the feeds that they are in the next run. */
const followers = (names) => (names.includes('present') ? { past: 'present' } : { pk: 'nk', pv: 'nv' });

for (const [name, [graph, more, group = 1]] of Object.entries(kModels)) {
  test(`${name}: what is pinned is what is copied, whatever becomes of it`, async () => {
    const bytes = makeModel(graph, more);
    const plain = await InferenceSession.create(bytes.slice());
    const session = await InferenceSession.create(bytes.slice(), pinned);
    const next = followers(session.outputNames);
    const empty = (input) => [...(input === 'past' ? [2] : []), 2, kHeads, 0, kSize];
    const feedsFor = (tokens, total) =>
      Object.fromEntries(
        graph.input
          .map((input) => input.name)
          .filter((input) => !(input in next))
          .map((input) => {
            if (input === 'lengths') return [input, new Tensor('int32', [total - 1, total - 1], [2])];
            if (input === 'total') return [input, new Tensor('int32', [total], [1])];
            return [input, random([2, tokens, kWidth * (input === 'q' ? group : 1)])];
          }),
      );
    const start = () =>
      Object.fromEntries(Object.keys(next).map((input) => [input, new Tensor('float32', [], empty(input))]));
    const nextOf = (results) => Object.fromEntries(Object.entries(next).map(([feed, r]) => [feed, results[r]]));
    const expectSame = (result, expected, what) => {
      for (const output of session.outputNames) {
        assert.deepEqual(result[output].dims, expected[output].dims, `${what}: ${output}`);
        assert.deepEqual([...result[output].data], [...expected[output].data], `${what}: ${output}`);
      }
    };
    const states = [];
    let [past, same] = [start(), start()];
    let total = 0;
    for (let step = 0; step < 60; step++) {
      const tokens = step === 0 ? 5 : step === 7 ? 3 : 1;
      total += tokens;
      const feeds = feedsFor(tokens, total);
      const expected = await plain.run({ ...feeds, ...same });
      const result = await session.run({ ...feeds, ...past });
      expectSame(result, expected, `step ${step}`);
      states.push({ result, expected, total });
      [past, same] = [nextOf(result), nextOf(expected)];
    }
    // Back to an earlier state, from which another way goes on; and all states are as they were.
    const { result, expected, total: before } = states[20];
    const feeds = feedsFor(1, before + 1);
    const way = await session.run({ ...feeds, ...nextOf(result) });
    expectSame(way, await plain.run({ ...feeds, ...nextOf(expected) }), 'another way');
    for (const [step, state] of states.entries()) expectSame(state.result, state.expected, `step ${step}, later`);
    await plain.release();
    await session.release();
  });
}

// Prompts of two lengths, padded at the end: the shorter one's next key goes where its padding was.
test('GroupQueryAttention with prompts of two lengths leaves the past as it was', async () => {
  const bytes = makeModel(...kModels.GroupQueryAttention);
  const plain = await InferenceSession.create(bytes.slice());
  const session = await InferenceSession.create(bytes.slice(), pinned);
  const feeds = (tokens, lengths, total) => ({
    ...Object.fromEntries(['q', 'k', 'v'].map((x) => [x, random([2, tokens, kWidth])])),
    lengths: new Tensor(
      'int32',
      lengths.map((n) => n - 1),
      [2],
    ),
    total: new Tensor('int32', [total], [1]),
  });
  const none = { pk: random([2, kHeads, 0, kSize]), pv: random([2, kHeads, 0, kSize]) };
  const prompt = feeds(5, [5, 3], 5);
  const expected = await plain.run({ ...prompt, ...none });
  const result = await session.run({ ...prompt, ...none });
  const before = [...result.nk.data];
  assert.deepEqual(before, [...expected.nk.data]);
  const token = feeds(1, [6, 4], 6);
  const after = await session.run({ ...token, pk: result.nk, pv: result.nv });
  const same = await plain.run({ ...token, pk: expected.nk, pv: expected.nv });
  for (const name of ['y', 'nk', 'nv']) assert.deepEqual([...after[name].data], [...same[name].data], name);
  assert.deepEqual([...result.nk.data], before);
  await plain.release();
  await session.release();
});

// Operators in JavaScript: types, attributes, shapes known and unknown, errors with their node.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import * as package_ from '../../dist/index.js';
import { InferenceSession, makeModel, node, OnnxError, port, Tensor, tensorType, twoByTwo } from './make_model.mjs';

const { registerOperator } = package_;
const kDomain = 'com.example';
const more = {
  opset_import: [
    { domain: '', version: 21 },
    { domain: kDomain, version: 1 },
  ],
};

afterEach(() => {
  for (const name of ['Scale', 'Words', 'Odd', 'Pair']) registerOperator(kDomain, name, undefined);
  registerOperator('', 'Add', undefined);
});

function model(opType, { inputs = ['x'], outputs = ['y'], attribute = [], types = {} } = {}) {
  const type = (name) => tensorType(types[name] ?? 'float32');
  return makeModel(
    {
      node: [
        node('Identity', ['x'], ['before'], { name: 'first' }),
        node(opType, ['before', ...inputs.slice(1)], outputs, { domain: kDomain, name: 'mine', attribute }),
      ],
      input: inputs.filter((name) => name !== '').map((name) => port(name, type(name))),
      output: outputs.filter((name) => name !== '').map((name) => port(name, type(name))),
    },
    more,
  );
}

const scale = {
  infer: ([x]) => [x],
  run: ([x], { factor = 1 }) => [
    new Tensor(
      'float32',
      x.data.map((v) => v * factor),
      x.dims,
    ),
  ],
};
const x = new Tensor('float32', [1, 2, 3], [3]);

test('an operator with an attribute', async () => {
  registerOperator(kDomain, 'Scale', scale);
  for (const graphOptimizationLevel of ['disabled', 'all']) {
    const attribute = [{ name: 'factor', type: 1, f: 2.5 }];
    const session = await InferenceSession.create(model('Scale', { attribute }), { graphOptimizationLevel });
    assert.deepEqual([...(await session.run(x)).y.data], [2.5, 5, 7.5]);
    assert.deepEqual(session.metadata.operators, { Identity: 1, 'com.example.Scale': 1 });
    await session.release();
  }
});

test('attributes of every kind', async () => {
  let seen;
  registerOperator(kDomain, 'Odd', {
    run: ([v], attributes) => {
      seen = attributes;
      return [v];
    },
  });
  const attribute = [
    { name: 'i', type: 2, i: -3 },
    { name: 's', type: 3, s: new TextEncoder().encode('word') },
    { name: 't', type: 4, t: { data_type: 1, dims: [2], float_data: [1, 2] } },
    { name: 'is', type: 7, ints: [1, 2] },
    { name: 'fs', type: 6, floats: [0.5] },
    { name: 'ss', type: 8, strings: [new TextEncoder().encode('a')] },
  ];
  const session = await InferenceSession.create(model('Odd', { attribute }));
  await session.run(x);
  assert.ok(seen.t instanceof Tensor);
  assert.deepEqual({ ...seen, t: [...seen.t.data] }, { i: -3, s: 'word', t: [1, 2], is: [1, 2], fs: [0.5], ss: ['a'] });
  await session.release();
});

test('shapes that depend on data, strings, several outputs, left-out ones', async () => {
  registerOperator(kDomain, 'Words', {
    run: ([v]) => [
      new Tensor(
        'string',
        [...v.data].filter((n) => n > 1).map((n) => `<${n}>`),
      ),
    ],
  });
  const words = await InferenceSession.create(model('Words', { types: { y: 'string' } }));
  assert.deepEqual((await words.run(x)).y.data, ['<2>', '<3>']);
  assert.deepEqual((await words.run(new Tensor('float32', [0, 9]))).y.data, ['<9>']);
  await words.release();

  registerOperator(kDomain, 'Pair', {
    infer: ([v, w]) => [{ type: 'int64', dims: [] }, undefined, w ?? v],
    run: ([v, w], _, wanted) => {
      assert.deepEqual(wanted, [true, false, true]);
      assert.equal(w ?? null, null);
      return [new Tensor('int64', [v.size], []), undefined, v];
    },
  });
  const pair = await InferenceSession.create(
    model('Pair', { inputs: ['x', ''], outputs: ['n', '', 'y'], types: { n: 'int64' } }),
  );
  const { n, y } = await pair.run(x);
  assert.deepEqual([n.data, n.dims, [...y.data]], [BigInt64Array.of(3n), [], [1, 2, 3]]);
  await pair.release();
});

test('it may stand in for an operator of the standard', async () => {
  registerOperator('ai.onnx', 'Add', {
    infer: ([v]) => [v],
    run: ([v, w]) => [
      new Tensor(
        'float32',
        v.data.map((p, i) => p * w.data[i]),
        v.dims,
      ),
    ],
  });
  const session = await InferenceSession.create(twoByTwo());
  const four = (...values) => new Tensor('float32', values, [2, 2]);
  const { sum } = await session.run([four(1, 2, 3, 4), four(5, 6, 7, 8)]);
  assert.deepEqual([...sum.data], [5, 12, 21, 32]);
  await session.release();
});

test('what the passes know of the standard does not hold for it', async () => {
  registerOperator('', 'Add', scale);
  const graph = {
    node: [node('Add', ['x', 'zero'], ['y'], { attribute: [{ name: 'factor', type: 1, f: 3 }] })],
    input: [port('x', tensorType('float32', [3]))],
    output: [port('y', tensorType('float32', [3]))],
    initializer: [{ name: 'zero', data_type: 1, dims: [3], float_data: [0, 0, 0] }],
  };
  const session = await InferenceSession.create(makeModel(graph));
  assert.deepEqual([...(await session.run(x)).y.data], [3, 6, 9]);
  await session.release();
});

test('what it throws names the node, and is the cause', async () => {
  const mine = new RangeError('not today');
  for (const [operator, atLoad] of [
    [
      {
        infer: () => {
          throw mine;
        },
        run: () => [],
      },
      false,
    ],
    [
      {
        run: () => {
          throw mine;
        },
      },
      false,
    ],
  ]) {
    registerOperator(kDomain, 'Odd', operator);
    const session = await InferenceSession.create(model('Odd'));
    assert.equal(atLoad, false);
    await assert.rejects(session.run(x), (error) => {
      assert.ok(error instanceof OnnxError);
      assert.deepEqual([error.code, error.node, error.opType, error.cause], ['runtime_error', 'mine', 'Odd', mine]);
      assert.match(error.message, /Odd "mine": not today/);
      return true;
    });
    await session.release();
  }
});

test('answers that make no sense', async () => {
  const y = new Tensor('float32', [1, 2, 3]);
  for (const [operator, message] of [
    [{ run: () => y }, /run\(\) must return a list with one item per output, not a Tensor/],
    [{ run: async () => [y] }, /not a promise/],
    [{ run: () => [7] }, /output 0/],
    [{ run: () => undefined }, /not undefined/],
    [{ run: () => [] }, /run\(\) gave nothing for output 0/],
    [{ run: () => [undefined] }, /run\(\) gave nothing for output 0/],
    [{ infer: () => 5, run: () => [y] }, /infer\(\) must return a list/],
    [{ infer: () => [{ type: 'float33', dims: [] }], run: () => [y] }, /float33/],
    [{ infer: () => [{ type: 'float32', dims: [-1] }], run: () => [y] }, /dims\[0\] is -1/],
    [
      { infer: () => [{ type: 'float32', dims: [2] }], run: () => [y] },
      /run\(\) gave float32\(3\) for output 0; infer\(\) said float32\(2\)/,
    ],
  ]) {
    registerOperator(kDomain, 'Odd', operator);
    const session = await InferenceSession.create(model('Odd'));
    await assert.rejects(
      session.run(x),
      (error) => (error instanceof OnnxError && message.test(error.message)) || assert.fail(`${error.stack}`),
    );
    await session.release();
  }
});

test('without it the model says what is missing; nonsense is refused', async () => {
  await assert.rejects(InferenceSession.create(model('Scale')), {
    code: 'unsupported_operator',
    message: /com\.example\.Scale-1/,
  });
  for (const args of [
    [1, 'A', scale],
    ['', '', scale],
    ['', 'A', null],
    ['', 'A', {}],
    ['', 'A', { run: 1 }],
    ['', 'A', { ...scale, infer: 1 }],
  ]) {
    assert.throws(() => registerOperator(...args), { code: 'invalid_argument' });
  }
});

// sardonyx/tools: two models or two runs held against each other, and what a run takes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sardonyx, workFolder } from './cli_program.mjs';
import { makeModel, node, port, Tensor, tensorType } from './make_model.mjs';

const { compare, compareResults, compareValues, firstDifference, randomTensor, stats } = await import(
  '../../dist/tools.js'
);

const floats = (name, dims, values) => ({ name, dims, data_type: 1, float_data: values });
const x = new Tensor('float32', [1, -2, 3, 4, 5, 6], [2, 3]);

/** y = |x W + b| k, z = sum(y); W is 3 x 2. */
function model({ w = [1, 2, 3, 4, 5, 6], b = [1, 1], k = [2], last = 'z' } = {}) {
  return makeModel({
    node: [
      node('MatMul', ['x', 'w'], ['product'], { name: 'projection' }),
      node('Add', ['product', 'b'], ['sum'], { name: 'shift' }),
      node('Abs', ['sum'], ['positive'], { name: 'size' }),
      node('Mul', ['positive', 'k'], ['y'], { name: 'scale' }),
      node('ReduceSum', ['y'], [last], { name: 'total' }),
    ],
    input: [port('x', tensorType('float32', ['n', 3]))],
    output: [port('y', tensorType('float32', ['n', 2])), port(last, tensorType('float32'))],
    initializer: [floats('w', [3, 2], w), floats('b', [2], b), floats('k', [1], k)],
  });
}

test('compare: the first node whose value differs, and by how much', async () => {
  const result = await compare(model(), model({ b: [1, 1.5] }), { feeds: { x } });
  assert.equal(result.same, false);
  assert.deepEqual(
    result.outputs.map(({ name, same }) => [name, same]),
    [
      ['y', false],
      ['z', false],
    ],
  );
  const { value, nodes, maxAbs, first, compared } = result.firstDifference;
  assert.equal(value, 'sum');
  assert.deepEqual(nodes, Array(2).fill({ index: 1, name: 'shift', opType: 'Add' }));
  assert.equal(maxAbs, 0.5);
  // Row 0 of x times column 1 of W: 2 - 8 + 18.
  assert.deepEqual(first, { index: [0, 1], actual: 13, expected: 13.5 });
  assert.equal(compared, 2);
});

test('compare: agreement, tolerances, outputs of other names, sources that are read once', async () => {
  const blob = () => new Blob([model({ last: 'total' })]).stream();
  const result = await compare(new Blob([model()]).stream(), blob(), { feeds: { x } });
  assert.deepEqual([result.same, result.firstDifference], [true, null]);
  assert.deepEqual([result.outputs[1].name, result.outputs[1].other], ['z', 'total']);
  const near = model({ k: [2.001] });
  assert.equal((await compare(model(), near, { feeds: { x } })).firstDifference?.value, undefined);
  const strict = await compare(model(), near, { feeds: { x }, rtol: 1e-5 });
  assert.equal(strict.firstDifference.value, 'y');
  assert.equal((await compare(model(), near, { feeds: { x }, rtol: 1e-5, nodes: false })).firstDifference, null);
  const random = await compare(model(), model({ w: [0, 0, 0, 0, 0, 0] }), { dims: { n: 4 } });
  assert.deepEqual([random.assumed, random.firstDifference.value], [[], 'product']);
});

test('compare: values that only one model has are passed over; progress and aborting', async () => {
  const other = makeModel({
    node: [node('Gemm', ['x', 'w', 'b'], ['sum']), node('Neg', ['sum'], ['y'])],
    input: [port('x', tensorType('float32', ['n', 3]))],
    output: [port('y', tensorType('float32', ['n', 2]))],
    initializer: [floats('w', [3, 2], [1, 2, 3, 4, 5, 6]), floats('b', [2], [1, 1])],
  });
  const found = await firstDifference(model(), other, { feeds: { x } });
  assert.equal(found.value, 'y');
  assert.deepEqual(
    found.nodes.map(({ opType }) => opType),
    ['Mul', 'Neg'],
  );
  const seen = [];
  const same = await firstDifference(model(), model(), { feeds: { x }, onProgress: (at) => seen.push(at) });
  assert.equal(same, null);
  assert.deepEqual(seen.at(-1), { compared: 5, total: 5 });
  await assert.rejects(compare(model(), other, { feeds: { x } }), { code: 'invalid_argument' });
  await assert.rejects(compare(model(), model(), { feeds: { x }, signal: AbortSignal.abort() }), { code: 'aborted' });
});

test('compareResults and compareValues: two runs', () => {
  const tensor = (values) => new Tensor('float32', values, [values.length]);
  const [good, bad] = compareResults(
    { a: tensor([1, NaN]), b: tensor([1, 2]) },
    { b: tensor([1, 4]), a: tensor([1, NaN]) },
  );
  assert.deepEqual([good.name, good.same, bad.same, bad.maxAbs, bad.maxRel], ['a', true, false, 2, 0.5]);
  assert.throws(() => compareResults({ a: tensor([1]) }, {}), { code: 'invalid_argument' });
  assert.match(compareValues(tensor([1]), new Tensor('float64', [1], [1])).problem, /is float32, not float64/);
  const same = [1, 2].map(() => randomTensor('float32', [3], 'x', 7));
  assert.deepEqual(same[0].data, same[1].data);
});

test('random values of large tensors come again, in no row at the place of another', () => {
  const { data } = randomTensor('float32', [3, 4 << 20], 'x', 7);
  const again = 4_194_301;
  assert.deepEqual(data.subarray(again, 2 * again), data.subarray(0, again));
  assert.deepEqual(data.subarray(2 * again), data.subarray(0, data.length - 2 * again));
  const rows = [0, 1, 2].map((row) => data.subarray(row << 22, (row << 22) + 1000));
  assert.notDeepEqual(rows[0], rows[1]);
  assert.notDeepEqual(rows[1], rows[2]);
  assert.equal(new Set(data.subarray(0, 1000)).size, 1000);
});

test('stats: parameters, operators, multiply-adds and memory of one run', async () => {
  const found = await stats(model(), { dims: { n: 5 } });
  assert.equal(found.parameters, 6 + 2 + 1);
  assert.equal(found.nodes, 5);
  assert.deepEqual(found.operators, { MatMul: 1, Add: 1, Abs: 1, Mul: 1, ReduceSum: 1 });
  assert.equal(found.macs, 5 * 3 * 2);
  assert.deepEqual(found.inputs, [{ name: 'x', type: 'float32', dims: [5, 3] }]);
  assert.ok(found.memory.heap > 0 && found.memory.arena >= 0);
  assert.deepEqual((await stats(model())).assumed, ['n']);
  assert.deepEqual((await stats(model(), { feeds: { x } })).inputs[0].dims, [2, 3]);
});

const work = workFolder();
after(work.remove);

test('sardonyx compare names the node; --no-nodes does not look for it', async () => {
  const [a, b] = [work.put('a.onnx', model()), work.put('b.onnx', model({ b: [1, 1.5] }))];
  const text = await sardonyx(['compare', a, b]);
  assert.equal(text.code, 1);
  assert.match(text.stdout, /first value that differs: "sum"[\s\S]*Add "shift" \(node 1\)/);
  assert.equal((await sardonyx(['compare', a, b, '--json'])).json().firstDifference.value, 'sum');
  assert.equal((await sardonyx(['compare', a, b, '--json', '--no-nodes'])).json().firstDifference, null);
});

test('--dim fixes the dimensions that the inputs name', async () => {
  const path = work.put('open.onnx', model());
  const { json } = await sardonyx(['run', path, '--dim', 'n=4', '--json']);
  assert.deepEqual([json().inputs[0].dims, json().assumed], [[4, 3], []]);
  const wrong = await sardonyx(['run', path, '--dim', 'm=4']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /no open dimension of that name \(they have: "n"\)/);
});

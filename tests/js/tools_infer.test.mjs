// inferShapes beside onnx.shape_inference (strict, with data propagation), on PyTorch's exports: data/inferred.json, which
// tests/tools/infer_shapes.py makes. Ours may say more, never less or otherwise.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { kTypes, makeModel, node, port, tensorType } from './make_model.mjs';

const { graph, inferShapes } = await import('../../dist/tools.js');
const reference = JSON.parse(readFileSync(new URL('data/inferred.json', import.meta.url), 'utf8'));

/** As text() of infer_shapes.py. */
function text(type) {
  if (type === null) return '';
  if (type.kind === 'sequence') return `s${text(type.element)}`;
  if (type.kind === 'optional') return `o${text(type.element)}`;
  const code = kTypes[type.dtype] ?? type.dtype;
  return type.shape === null ? String(code) : `${code}:${type.shape.map((dim) => dim ?? '?').join('|')}`;
}

/** As verdict() of infer_shapes.py: same, more, less or other. */
function verdict(ours, theirs) {
  if (ours === theirs) return 'same';
  if (ours === '') return 'less';
  const [[a, x], [b, y]] = [ours, theirs].map((whole) => whole.split(':'));
  if (a !== b) return 'other';
  if (y === undefined) return 'more';
  if (x === undefined) return 'less';
  const [mine, other] = [x, y].map((dims) => (dims === '' ? [] : dims.split('|')));
  if (mine.length !== other.length) return 'other';
  let result = 'same';
  for (const [i, dim] of other.entries()) {
    const made = dim.startsWith('unk__');
    if (mine[i] === dim || (made && mine[i] === '?')) continue;
    if (/^\d+$/.test(mine[i]) && /^\d+$/.test(dim)) return 'other';
    if (!(dim === '?' || made || /^\d+$/.test(mine[i]))) result = 'less';
    else if (result === 'same') result = 'more';
  }
  return result;
}

for (const [name, theirs] of Object.entries(reference)) {
  const path = new URL(`../models/reference/exports/${name}`, import.meta.url);
  test(name, { skip: !existsSync(path) && 'not here' }, async () => {
    const { graph: main } = await graph(await inferShapes(path));
    const ours = new Map([...main.values, ...main.outputs].map((value) => [value.name, text(value.type)]));
    const results = Object.entries(theirs).map(([value, type]) => [value, verdict(ours.get(value) ?? '', type)]);
    const of = (kind) => results.filter(([, result]) => result === kind).map(([value]) => value);
    assert.deepEqual(of('other'), []);
    assert.deepEqual(of('less'), []);
  });
}

test('a list that is split and joined again is known: the pads of what tf2onnx writes', async () => {
  const bytes = makeModel({
    node: [
      node('Split', ['pads'], ['a', 'b', 'c', 'd'], { attribute: [int('axis', 0)] }),
      node('Concat', ['b', 'd', 'a', 'c'], ['joined'], { attribute: [int('axis', 0)] }),
      node('Pad', ['x', 'joined'], ['padded']),
      node('Shape', ['padded'], ['sizes']),
      node('Split', ['sizes'], ['rows', 'columns'], { attribute: [int('axis', 0)] }),
      node('Concat', ['columns', 'rows'], ['turned'], { attribute: [int('axis', 0)] }),
      node('Reshape', ['padded', 'turned'], ['y']),
    ],
    initializer: [{ name: 'pads', dims: [4], data_type: 7, int64_data: [1, 2, 3, 4] }],
    input: [port('x', tensorType('float32', ['n', 5]))],
    output: [port('y', tensorType('float32', [null, null]))],
  });
  const { graph: main } = await graph(await inferShapes(bytes, { dims: { n: 6 } }));
  const types = Object.fromEntries([...main.values, ...main.outputs].map(({ name, type }) => [name, text(type)]));
  // Begins 2 and 4, ends 1 and 3.
  assert.deepEqual([types.padded, types.y], ['1:9|12', '1:12|9']);
});

const int = (name, i) => ({ name, type: 2, i });
const ints = (name, list) => ({ name, type: 7, ints: list });

test('of results whose shapes depend on data the ranks are known, and what follows', async () => {
  const bytes = makeModel({
    node: [
      node('NonZero', ['x'], ['places']),
      node('Transpose', ['places'], ['rows'], { attribute: [ints('perm', [1, 0])] }),
      node('GatherND', ['x', 'rows'], ['picked']),
      node('NonMaxSuppression', ['boxes', 'scores', 'most', 'overlap', 'least'], ['chosen']),
      node('Gather', ['chosen', 'two'], ['which'], { attribute: [int('axis', 1)] }),
      node('Gather', ['boxes', 'which'], ['kept'], { attribute: [int('axis', 1)] }),
      node('Unique', ['picked'], ['values', 'first', 'inverse', 'counts']),
      node('Compress', ['x', 'mask'], ['some'], { attribute: [int('axis', 0)] }),
      node('MatMul', ['some', 'weight'], ['product']),
      node('Add', ['product', 'bias'], ['sum']),
      node('Shape', ['kept'], ['size']),
      node('ConstantOfShape', ['size'], ['zeros']),
      node('Slice', ['chosen', 'none', 'one', 'none'], ['head']),
      node('Reshape', ['sum', 'flat'], ['list']),
      node('Compress', ['image', 'mask'], ['some_image'], { attribute: [int('axis', 0)] }),
      node('Conv', ['some_image', 'kernel'], ['filtered']),
    ],
    input: [
      port('x', tensorType('float32', ['n', 4])),
      port('boxes', tensorType('float32', [1, 'b', 4])),
      port('scores', tensorType('float32', [1, 1, 'b'])),
      port('mask', tensorType('bool', ['n'])),
      port('image', tensorType('float32', ['n', 3, 32, 'w'])),
    ],
    output: ['kept', 'counts', 'sum', 'zeros', 'head', 'list', 'filtered'].map((name) => port(name, {})),
    initializer: [
      ...[
        ['most', 10],
        ['two', 2],
      ].map(([name, value]) => ({ name, dims: [], data_type: 7, int64_data: [value] })),
      ...[
        ['none', 0],
        ['one', 1],
        ['flat', -1],
      ].map(([name, value]) => ({ name, dims: [1], data_type: 7, int64_data: [value] })),
      ...[
        ['overlap', 0.5],
        ['least', 0],
      ].map(([name, value]) => ({ name, dims: [1], data_type: 1, float_data: [value] })),
      { name: 'weight', dims: [4, 5], data_type: 1, float_data: new Array(20).fill(1) },
      { name: 'bias', dims: [5], data_type: 1, float_data: new Array(5).fill(1) },
      { name: 'kernel', dims: [8, 3, 3, 3], data_type: 1, float_data: new Array(216).fill(1) },
    ],
  });
  const { graph: main } = await graph(await inferShapes(bytes));
  const found = Object.fromEntries([...main.values, ...main.outputs].map((value) => [value.name, text(value.type)]));
  // What the standard says of these operators: ? is a size that only a run gives.
  assert.deepEqual(found, {
    ...{ places: '7:2|?', rows: '7:?|2', picked: '1:?', chosen: '7:?|3', which: '7:?', kept: '1:1|?|4' },
    ...{ values: '1:?', first: '7:?', inverse: '7:?', counts: '7:?', some: '1:?|4', product: '1:?|5', sum: '1:?|5' },
    // Of none chosen, none is the first.
    ...{ size: '7:3', zeros: '1:1|?|4', head: '7:?|3', list: '1:?', some_image: '1:?|3|32|w', filtered: '1:?|8|30|?' },
  });
});

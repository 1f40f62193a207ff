// Rows of the operators that move elements, whatever their type: their reference moves positions.
import { newestOf, typesAt, versionsOf } from '../schemas.mjs';
import { make } from '../values.mjs';

const ints = (...list) => make('int64', [list.length], list);
const int = (v) => make('int64', [], [v]);
const kLong = [1, 2, 1, 2, 1, 2, 1, 3];

// `inputs` makes the inputs for a type; those at `move` are moved. Every type of the version, or only float32.
function moves(add, op, at, name, { inputs, move = [0], every = false, ...rest }) {
  const types = every ? typesAt(op, at, move[0]) : ['float32'];
  for (const type of types) {
    add(op, at, every ? `${name} ${type}` : name, { inputs: inputs(type), move, ...rest });
  }
}

// What Upsample and the first Resize came to be.
const resized = (...scales) => ({
  op: 'Resize',
  at: 13,
  attributes: { mode: 'nearest', coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' },
  more: [null, make('float32', [scales.length], scales)],
});

// [op, at, name, shape of the first input, further inputs, attributes, outputs]
function kRows() {
  const [reshape, squeeze, unsqueeze] = ['Reshape', 'Squeeze', 'Unsqueeze'].map(newestOf);
  const slice = newestOf('Slice');
  const gather = newestOf('Gather');
  return [
    ['Reshape', reshape, 'to rank 8', [2, 3, 4], [ints(1, 2, 1, 3, 1, 2, 2, 1)]],
    ['Reshape', reshape, 'to rank 0', [1, 1], [ints()]],
    ['Reshape', reshape, 'from rank 0', [], [ints(1, -1)]],
    ['Reshape', reshape, '-1 and 0', [2, 3, 4], [ints(0, -1, 2)]],
    ['Reshape', reshape, 'empty', [0, 3], [ints(3, 0)], { allowzero: 1 }],
    ['Reshape', reshape, 'empty by copied zero', [0, 3], [ints(0, 5)]],
    [
      'Reshape',
      1,
      'attribute',
      [2, 3],
      [],
      { shape: [3, -1] },
      1,
      { at: reshape, attributes: {}, more: [ints(3, -1)] },
    ],
    ['Reshape', 5, 'at its version', [2, 3], [ints(-1)]],
    ['Reshape', 13, 'at its version', [2, 3], [ints(0, 3, 1)]],
    ['Reshape', 14, 'at its version', [2, 3], [ints(0, 1, 3)]],
    ['Flatten', newestOf('Flatten'), 'rank 0', [], [], { axis: 0 }],
    ['Flatten', newestOf('Flatten'), 'axis 0', [2, 3], [], { axis: 0 }],
    ['Flatten', newestOf('Flatten'), 'negative', kLong, [], { axis: -3 }],
    ['Flatten', newestOf('Flatten'), 'empty', [2, 0, 3], [], { axis: 2 }],
    ['Flatten', 1, 'at its version', [2, 3, 4]],
    ['Squeeze', squeeze, 'all', [1, 2, 1]],
    ['Squeeze', squeeze, 'negative', [1, 2, 1], [ints(-1)]],
    ['Squeeze', squeeze, 'to rank 0', [1, 1], [ints(0, -1)]],
    ['Squeeze', squeeze, 'rank 8', kLong, [ints(0, 2, -2)]],
    ['Squeeze', squeeze, 'empty', [1, 0], [ints(0)]],
    ['Squeeze', 1, 'attribute', [1, 2, 1], [], { axes: [0, 2] }, 1, { at: 11 }],
    ['Squeeze', 11, 'negative attribute', [1, 2, 1], [], { axes: [-1] }],
    ['Unsqueeze', unsqueeze, 'from rank 0', [], [ints(0, -1)]],
    ['Unsqueeze', unsqueeze, 'to rank 8', [2, 3, 2, 2], [ints(7, 0, -4, 2)]],
    ['Unsqueeze', unsqueeze, 'empty', [0], [ints(1)]],
    ['Unsqueeze', 1, 'attribute', [2, 3], [], { axes: [0, 3] }, 1, { at: 11 }],
    ['Unsqueeze', 11, 'negative attribute', [2, 3], [], { axes: [-1] }],
    ['Transpose', newestOf('Transpose'), 'default', [2, 3, 4]],
    ['Transpose', newestOf('Transpose'), 'rank 0', []],
    ['Transpose', newestOf('Transpose'), 'rank 8', kLong, [], { perm: [7, 5, 3, 1, 0, 2, 4, 6] }],
    ['Transpose', newestOf('Transpose'), 'empty', [2, 0, 3], [], { perm: [2, 0, 1] }],
    ['Transpose', 1, 'at its version', [2, 3], [], { perm: [1, 0] }, 1, { at: 21 }],
    ['Identity', newestOf('Identity'), 'rank 8', kLong],
    ['Identity', newestOf('Identity'), 'empty', [0, 2]],
    ['Identity', 1, 'at its version', [2], [], {}, 1, { at: 21 }],
    ['Split', newestOf('Split'), 'uneven parts', [2, 7], [], { axis: -1, num_outputs: 3 }, 3],
    ['Split', newestOf('Split'), 'given sizes', [5, 2], [ints(1, 0, 4)], { axis: 0 }, 3],
    ['Split', newestOf('Split'), 'rank 8', kLong, [ints(2, 1)], { axis: 7 }, 2],
    ['Split', newestOf('Split'), 'empty', [4, 0], [], { axis: 0, num_outputs: 2 }, 2],
    ['Split', 13, 'equal parts', [4, 2], [], {}, 2],
    ['Split', 2, 'attribute', [4, 2], [], { split: [1, 3] }, 2, { at: 11 }],
    ['Split', 1, 'attribute', [4, 2], [], { split: [3, 1], axis: 0 }, 2, { at: 11 }],
    ['Slice', slice, 'negative step', [3, 4], [ints(-1, 3), ints(-9, 0), ints(0, 1), ints(-1, -2)]],
    ['Slice', slice, 'clamped', [3, 4], [ints(-99, 2), ints(99, 1000)]],
    ['Slice', slice, 'nothing', [3, 4], [ints(2), ints(1), ints(-2)]],
    ['Slice', slice, 'ends of int64', [5], [ints(2n ** 63n - 1n), ints(-(2n ** 63n)), ints(0), ints(-2)]],
    ['Slice', slice, 'rank 8', kLong, [ints(1, 0), ints(2, 2), ints(1, -1)]],
    ['Slice', slice, 'empty', [0, 3], [ints(0), ints(2), ints(1)]],
    ['Slice', 10, 'at its version', [4, 4], [ints(1), ints(3), ints(1), ints(1)]],
    ['Slice', 1, 'attributes', [3, 4], [], { starts: [0, -2], ends: [2, 1000], axes: [0, 1] }, 1, { at: 9 }],
    ['Gather', gather, 'negative axis and index', [3, 4], [make('int64', [2, 2], [0, -1, -4, 3])], { axis: -1 }],
    ['Gather', gather, 'a number', [3, 4], [int(-1)]],
    ['Gather', gather, 'rank 8', kLong, [make('int32', [2], [1, 0])], { axis: 3 }],
    ['Gather', gather, 'no index', [3, 4], [make('int64', [0], [])]],
    ['Gather', gather, 'from nothing', [0, 4], [make('int64', [2, 0], [])], { axis: 0 }],
    ['Gather', 1, 'at its version', [3, 4], [ints(2, 0)], { axis: 1 }, 1, { at: 11 }],
    ['GatherElements', 13, 'negative', [2, 3], [make('int64', [2, 2], [0, -1, -3, 1])], { axis: -1 }],
    ['GatherElements', 13, 'int32', [3, 2], [make('int32', [1, 2], [2, 0])], { axis: 0 }],
    ['GatherElements', 13, 'empty', [3, 2], [make('int64', [0, 2], [])]],
    ['GatherElements', 11, 'at its version', [3], [ints(2, 0)]],
    ['GatherND', 13, 'slices', [2, 3, 2], [make('int64', [2, 1], [1, -2])]],
    ['GatherND', 13, 'batch', [2, 3, 2], [make('int64', [2, 1, 1], [2, -1])], { batch_dims: 1 }],
    ['GatherND', 13, 'no index', [2, 3], [make('int64', [0, 2], [])]],
    ['GatherND', 12, 'at its version', [2, 2], [make('int64', [2, 2], [0, 1, 1, 0])]],
    ['GatherND', 11, 'at its version', [2, 2], [make('int64', [2, 2], [0, 0, 1, 1])]],
    ['Tile', 13, 'rank 0', [], [ints()]],
    ['Tile', 13, 'no times', [2, 3], [ints(0, 2)]],
    ['Tile', 13, 'rank 8', kLong, [ints(2, 1, 1, 1, 2, 1, 1, 1)]],
    ['Tile', 6, 'at its version', [2, 2], [ints(2, 3)]],
    ['Expand', 13, 'both ways', [3, 1], [ints(2, 1, 4)]],
    ['Expand', 13, 'rank 0 to nothing', [], [ints(0)]],
    ['Expand', 13, 'to rank 8', [2, 1], [ints(1, 2, 1, 2, 1, 2, 2, 3)]],
    ['Expand', 13, 'a smaller rank', [2, 3], [ints(1)]],
    ['Expand', 8, 'at its version', [1, 3], [ints(2, 3)]],
    ['DepthToSpace', 13, 'CRD', [1, 8, 1, 2], [], { blocksize: 2, mode: 'CRD' }],
    ['DepthToSpace', 13, 'empty', [0, 4, 2, 2], [], { blocksize: 2 }],
    ['DepthToSpace', 1, 'at its version', [1, 4, 1, 2], [], { blocksize: 2 }],
    ['DepthToSpace', 11, 'at its version', [1, 4, 1, 2], [], { blocksize: 2, mode: 'CRD' }],
    ['SpaceToDepth', 13, 'blocks of 3', [1, 1, 3, 6], [], { blocksize: 3 }],
    ['SpaceToDepth', 13, 'empty', [2, 1, 0, 2], [], { blocksize: 2 }],
    ['SpaceToDepth', 1, 'at its version', [1, 2, 2, 2], [], { blocksize: 2 }],
    ['Compress', 11, 'flat', [2, 3], [make('bool', [5], [0, 1, 1, 0, 1])]],
    ['Compress', 11, 'negative axis', [2, 3], [make('bool', [2], [0, 1])], { axis: -1 }],
    ['Compress', 11, 'nothing kept', [2, 3], [make('bool', [2], [0, 0])], { axis: 0 }],
    ['Compress', 9, 'at its version', [2, 3], [make('bool', [3], [1, 0, 1])], { axis: 1 }],
    ['ReverseSequence', 10, 'batch first', [2, 4], [ints(3, 1)], { batch_axis: 0, time_axis: 1 }],
    ['ReverseSequence', 10, 'rank 8', [3, 2, ...kLong.slice(2)], [ints(3, 2)]],
    ['ReverseSequence', 10, 'empty', [0, 2], [ints(0, 0)]],
    ['Trilu', 14, 'lower, above', [3, 4], [int(1)], { upper: 0 }],
    ['Trilu', 14, 'upper, below', [2, 3, 3], [int(-1)]],
    ['Trilu', 14, 'far', [2, 2], [int(9)]],
    ['Trilu', 14, 'empty', [2, 0, 3]],
    ['Trilu', 14, 'ends of int64', [2, 2], [int(-(2n ** 63n))]],
    ['CenterCropPad', 18, 'both', [3, 5], [ints(6, 2)]],
    ['CenterCropPad', 18, 'negative axes', [2, 3, 4], [ints(1, 5)], { axes: [-2, -1] }],
    ['CenterCropPad', 18, 'to nothing', [3], [ints(0)]],
    ['Resize', 19, 'nearest four', [1, 1, 2, 3], [null, make('float32', [4], [1, 1, 2, 2])], { mode: 'nearest' }],
    ['Resize', 11, 'nearest', [1, 1, 2, 3], [make('float32', [0], []), make('float32', [4], [1, 1, 1.5, 2])], {}],
    ['Resize', 10, 'nearest', [1, 1, 2, 3], [make('float32', [4], [1, 1, 2, 1])], {}, 1, resized(1, 1, 2, 1)],
    ['Upsample', 9, 'nearest four', [1, 1, 2, 3], [make('float32', [4], [1, 1, 2, 3])], {}, 1, resized(1, 1, 2, 3)],
    [
      'Tile',
      1,
      'along an axis',
      [2, 3],
      [make('float32', [1], [2]), make('float32', [1], [1])],
      {},
      1,
      { at: 6, more: [ints(1, 2)] },
    ],
    ['Upsample', 7, 'nearest', [1, 1, 2, 2], [], { scales: [1, 1, 2, 2] }, 1, resized(1, 1, 2, 2)],
    ['Upsample', 1, 'nearest', [1, 1, 2, 2], [], { height_scale: 2, width_scale: 3 }, 1, resized(1, 1, 2, 3)],
  ];
}

// A row in every type of its newest version.
const kEvery = {
  Reshape: [[2, 3], [ints(3, 2)]],
  Flatten: [[2, 1, 3]],
  Squeeze: [[1, 5], [ints(0)]],
  Unsqueeze: [[5], [ints(1)]],
  Transpose: [[3, 5]],
  Identity: [[5]],
  Split: [[5], [ints(2, 3)], { axis: 0 }, 2],
  Slice: [
    [3, 5],
    [ints(1, 4), ints(3, 0), ints(0, 1), ints(1, -2)],
  ],
  Gather: [[3, 3], [ints(2, 0, 2)], { axis: 1 }],
  GatherElements: [[3], [ints(2, 0, 1, 1, -1)]],
  GatherND: [[3, 3], [make('int64', [2, 1], [2, 0])]],
  Tile: [[3], [ints(3)]],
  Expand: [[3, 1], [ints(3)]],
  DepthToSpace: [[1, 4, 1, 3], [], { blocksize: 2 }],
  SpaceToDepth: [[1, 1, 2, 6], [], { blocksize: 2 }],
  Compress: [[5], [make('bool', [5], [1, 0, 1, 1, 0])]],
  ReverseSequence: [[3, 3], [ints(3, 2, 1)]],
  Trilu: [[3, 3]],
  CenterCropPad: [[3, 5], [ints(5, 3)]],
};

const kErrors = [
  ['Reshape', 21, 'another count', [2, 3], [ints(4)], {}, /reshape|elements|shape/i],
  ['Reshape', 21, 'two -1', [2, 3], [ints(-1, -1)], {}, /-1/],
  ['Reshape', 21, '-2', [2, 3], [ints(-2, 3)], {}, /-2/],
  ['Reshape', 21, 'a shape of rank 2', [2, 3], [make('int64', [1, 2], [3, 2])], {}, /shape|rank|vector/],
  ['Reshape', 21, 'a shape of floats', [2, 3], [make('float32', [1])], {}, /float32/],
  ['Flatten', 21, 'axis too large', [2, 3], [], { axis: 3 }, /axis 3/],
  ['Squeeze', 21, 'an axis of 2', [2, 1], [ints(0)], {}, /axis|dimension/],
  ['Squeeze', 21, 'axis too large', [2, 1], [ints(5)], {}, /5/],
  ['Unsqueeze', 21, 'an axis twice', [2], [ints(0, -3)], {}, /axis|axes/],
  ['Unsqueeze', 21, 'axis too large', [2], [ints(3)], {}, /3/],
  ['Transpose', 21, 'perm of another rank', [2, 3], [], { perm: [0, 1, 2] }, /perm/],
  ['Transpose', 21, 'perm twice', [2, 3], [], { perm: [1, 1] }, /twice/],
  ['Split', 18, 'sizes of another sum', [5], [ints(2, 2)], {}, /split|sum/i],
  ['Split', 18, 'a negative size', [5], [ints(6, -1)], {}, /6|-1/],
  ['Split', 18, 'axis too large', [5], [ints(5)], { axis: 1 }, /axis 1/],
  ['Split', 18, 'rank 0', [], [ints(1)], {}, /axis|rank|scalar/],
  ['Slice', 13, 'a step of 0', [5], [ints(0), ints(2), ints(0), ints(0)], {}, /step/],
  ['Slice', 13, 'axis too large', [5], [ints(0), ints(2), ints(1)], {}, /axis|axes/],
  ['Slice', 13, 'an axis twice', [5, 5], [ints(0, 0), ints(2, 2), ints(0, -2)], {}, /axis|axes/],
  ['Slice', 13, 'lengths that differ', [5, 5], [ints(0, 0), ints(2)], {}, /./],
  ['Gather', 13, 'an index too large', [3], [ints(3)], {}, /3/],
  ['Gather', 13, 'an index too small', [3], [ints(-4)], {}, /-4/],
  ['Gather', 13, 'rank 0', [], [ints(0)], {}, /rank|axis/],
  ['Gather', 13, 'indices of floats', [3], [make('float32', [1])], {}, /float32/],
  ['GatherElements', 13, 'another rank', [2, 3], [ints(0)], {}, /rank/],
  ['GatherElements', 13, 'an index too large', [3], [ints(7)], {}, /7/],
  ['GatherND', 13, 'too many numbers', [3], [make('int64', [1, 2], [0, 0])], {}, /./],
  ['GatherND', 13, 'an index too small', [3], [make('int64', [1, 1], [-4])], {}, /-4/],
  ['Tile', 13, 'repeats of another rank', [2, 3], [ints(2)], {}, /repeats/],
  ['Tile', 13, 'negative', [2], [ints(-1)], {}, /-1/],
  ['Tile', 13, 'too large', [2], [ints(2n ** 62n)], {}, /./],
  ['Expand', 13, 'no broadcast', [3], [ints(4)], {}, /broadcast|shape|dimension/],
  ['Expand', 13, 'negative', [3], [ints(-1)], {}, /-1|negative|broadcast/],
  ['DepthToSpace', 13, 'channels', [1, 3, 1, 1], [], { blocksize: 2 }, /3|channels|divisible/],
  ['DepthToSpace', 13, 'rank 3', [4, 1, 1], [], { blocksize: 2 }, /rank/],
  ['DepthToSpace', 13, 'blocks of 0', [1, 4, 1, 1], [], { blocksize: 0 }, /blocksize/],
  ['SpaceToDepth', 13, 'odd', [1, 1, 3, 2], [], { blocksize: 2 }, /3|divisible|multiple/],
  ['Compress', 11, 'a condition too long', [3], [make('bool', [2, 2])], {}, /rank|condition/],
  ['Compress', 11, 'axis too large', [3], [make('bool', [2])], { axis: 1 }, /axis 1/],
  ['ReverseSequence', 10, 'a length too large', [3, 2], [ints(4, 1)], {}, /4/],
  ['ReverseSequence', 10, 'the same axes', [3, 2], [ints(1, 1)], { batch_axis: 0, time_axis: 0 }, /axis|axes/],
  ['Trilu', 14, 'rank 1', [3], [], {}, /rank/],
  ['CenterCropPad', 18, 'negative', [3], [ints(-1)], {}, /-1|negative/],
  ['Concat', 13, 'axis too large', [3], [make('float32', [3])], { axis: 1 }, /axis 1/],
  ['Concat', 13, 'rank 0', [], [make('float32', [])], { axis: 0 }, /rank|axis/],
  ['Concat', 13, 'other shapes', [2, 3], [make('float32', [3, 2])], { axis: 0 }, /shape|dimension/],
  ['Concat', 13, 'other types', [2], [make('float64', [2])], { axis: 0 }, /float64|type/],
  ['ScatterND', 18, 'updates of another shape', [3], [make('int64', [1, 1], [0]), make('float32', [2])], {}, /updates/],
  ['ScatterND', 18, 'an index too large', [3], [make('int64', [1, 1], [3]), make('float32', [1])], {}, /3/],
  ['ScatterElements', 18, 'an index too small', [3], [ints(-4), make('float32', [1])], {}, /-4/],
  ['ScatterElements', 18, 'shapes that differ', [3], [ints(0, 1), make('float32', [1])], {}, /shape|updates/],
  ['Pad', 21, 'pads of another rank', [2, 3], [ints(1, 1)], {}, /pads/],
  ['Pad', 21, 'below nothing', [2], [ints(-2, -1)], {}, /-1|negative/],
  ['Pad', 21, 'reflect of nothing', [0], [ints(1, 1)], { mode: 'reflect' }, /./],
  ['Pad', 21, 'an unknown mode', [2], [ints(1, 1)], { mode: 'mirror' }, /mode/],
];

function concatRows(add) {
  const at = newestOf('Concat');
  moves(add, 'Concat', at, 'negative axis', {
    inputs: (t) => [make(t, [2, 1]), make(t, [2, 3]), make(t, [2, 1])],
    attributes: { axis: -1 },
    move: [0, 1, 2],
    every: true,
  });
  const f =
    (...shapes) =>
    () =>
      shapes.map((dims) => make('float32', dims));
  const more = { attributes: { axis: 0 } };
  moves(add, 'Concat', at, 'one', { inputs: f([2, 3]), ...more });
  moves(add, 'Concat', at, 'with nothing', { inputs: f([2, 3], [0, 3], [1, 3]), move: [0, 1, 2], ...more });
  moves(add, 'Concat', at, 'rank 8', { inputs: f(kLong, kLong), move: [0, 1], attributes: { axis: -8 } });
  moves(add, 'Concat', 1, 'the default axis', {
    inputs: f([2, 1], [2, 2]),
    move: [0, 1],
    by: { at: 11, attributes: { axis: 1 } },
  });
  moves(add, 'Concat', 4, 'at its version', { inputs: f([2, 1], [2, 2]), move: [0, 1], attributes: { axis: 1 } });
}

function scatterRows(add) {
  const nd = make('int64', [2, 1], [2, -3]);
  const nd2 = make('int64', [2, 2], [0, -1, 1, 0]);
  const elements = make('int64', [1, 3], [1, -2, 0]);
  for (const at of [11, 13, 16, 18]) {
    const every = at === 18;
    moves(add, 'ScatterND', at, 'rows', { inputs: (t) => [make(t, [3, 2]), nd, make(t, [2, 2])], move: [0, 2], every });
    moves(add, 'ScatterElements', at, 'negative', {
      inputs: (t) => [make(t, [2, 3]), elements, make(t, [1, 3])],
      move: [0, 2],
      every,
    });
  }
  moves(add, 'ScatterND', 18, 'elements', { inputs: (t) => [make(t, [2, 3]), nd2, make(t, [2])], move: [0, 2] });
  moves(add, 'ScatterND', 18, 'no updates', {
    inputs: (t) => [make(t, [2, 3]), make('int64', [0, 1], []), make(t, [0, 3])],
    move: [0, 2],
  });
  const axis = { attributes: { axis: -1 } };
  moves(add, 'ScatterElements', 18, 'axis -1', {
    inputs: (t) => [make(t, [2, 3]), elements, make(t, [1, 3])],
    move: [0, 2],
    ...axis,
  });
  moves(add, 'ScatterElements', 18, 'no updates', {
    inputs: (t) => [make(t, [3]), make('int64', [0], []), make(t, [0])],
    move: [0, 2],
  });
  moves(add, 'Scatter', 9, 'negative', {
    inputs: (t) => [make(t, [2, 3]), elements, make(t, [1, 3])],
    move: [0, 2],
    every: true,
    by: { op: 'ScatterElements', at: 18 },
  });
  const kReductions = { 16: ['add', 'mul'], 18: ['add', 'mul', 'max', 'min'] };
  for (const at of [16, 18]) {
    for (const reduction of kReductions[at]) {
      for (const type of ['float32', 'float64', 'float16', 'int32', 'int8', 'uint64']) {
        const attributes = { reduction };
        const twice = make('int64', [3, 1], [1, 1, 0]);
        add('ScatterND', at, `${reduction} ${type}`, { attributes, inputs: [make(type, [3]), twice, make(type, [3])] });
        const same = make('int64', [3], [1, 1, 0]);
        add('ScatterElements', at, `${reduction} ${type}`, {
          attributes,
          inputs: [make(type, [3]), same, make(type, [3])],
        });
      }
    }
  }
}

function padRows(add) {
  const at = newestOf('Pad');
  const value = (t) => make(t, [], 'positive');
  moves(add, 'Pad', at, 'constant', {
    inputs: (t) => [make(t, [2, 3]), ints(1, -1, 0, 2), value(t)],
    move: [0, 2],
    every: true,
  });
  for (const mode of ['reflect', 'edge', 'wrap']) {
    const attributes = { mode };
    moves(add, 'Pad', at, mode, { inputs: (t) => [make(t, [3, 3]), ints(1, 2, 0, 1)], attributes });
    moves(add, 'Pad', at, `${mode}, axes`, {
      inputs: (t) => [make(t, [2, 3, 2]), ints(2, 1), null, ints(-2)],
      attributes,
    });
  }
  moves(add, 'Pad', at, 'default value', { inputs: (t) => [make(t, [2]), ints(1, 2)] });
  moves(add, 'Pad', at, 'nothing', { inputs: (t) => [make(t, [0, 2]), ints(1, 0, 1, 0), value(t)], move: [0, 2] });
  add('Pad', at, 'rank 0', { inputs: [make('float32', [], [2.5]), ints()], expect: [make('float32', [], [2.5])] });
  moves(add, 'Pad', at, 'rank 8', {
    inputs: (t) => [make(t, kLong), ints(0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 1)],
  });
  for (const since of [11, 13, 18, 19, 21]) {
    moves(add, 'Pad', since, 'at its version', {
      inputs: (t) => [make(t, [2, 2]), ints(1, 0, 0, 1), value(t)],
      move: [0, 2],
    });
  }
  const f = () => [make('float32', [2, 2])];
  const by = { at: 11, attributes: {}, inputs: [make('int64', [2, 2], [1, 2, 3, 4]), ints(1, 0, 0, 1)] };
  moves(add, 'Pad', 2, 'attribute', { inputs: f, attributes: { pads: [1, 0, 0, 1] }, by });
  moves(add, 'Pad', 1, 'attribute', { inputs: f, attributes: { paddings: [1, 0, 0, 1] }, by });
}

function fillRows(add) {
  const like = newestOf('ConstantOfShape');
  add('ConstantOfShape', like, 'rank 0', { inputs: [ints()] });
  add('ConstantOfShape', like, 'nothing', { inputs: [ints(2, 0)] });
  add('ConstantOfShape', like, 'rank 8', { inputs: [ints(...kLong)] });
  for (const type of [
    'float16',
    'bfloat16',
    'float32',
    'float64',
    'int8',
    'int64',
    'uint16',
    'uint64',
    'bool',
    'float8e4m3fn',
    'int4',
    'uint4',
  ]) {
    const attributes = { value: make(type, [1], [1]) };
    add('ConstantOfShape', like, type, { inputs: [ints(3)], attributes, expect: [make(type, [3], [1, 1, 1])] });
  }
  add('ConstantOfShape', 9, 'at its version', { inputs: [ints(2)] });
  add('ConstantOfShape', like, 'negative', { inputs: [ints(-1)], error: /-1|negative/ });
  add('ConstantOfShape', like, 'too large', { inputs: [ints(2n ** 40n, 2n ** 40n)], error: /./ });
  for (const op of ['Shape', 'Size']) {
    const at = newestOf(op);
    for (const type of typesAt(op, at)) {
      const x = make(type, [2, 0, 3], []);
      add(op, at, type, { inputs: [x], expect: [op === 'Shape' ? ints(2, 0, 3) : int(0)] });
    }
    add(op, at, 'rank 0', { inputs: [make('float32', [])] });
    add(op, at, 'rank 8', { inputs: [make('float32', kLong)] });
    add(op, 1, 'at its version', { inputs: [make('float32', [2, 3])] });
  }
  for (const [start, end] of [
    [1, 3],
    [-2, -1],
    [-99, 99],
    [2, 1],
  ]) {
    add('Shape', 15, `${start} to ${end}`, { inputs: [make('float32', [2, 3, 4])], attributes: { start, end } });
  }
  for (const type of typesAt('EyeLike', newestOf('EyeLike'))) {
    const expect = [make(type, [2, 3], [0, 1, 0, 0, 0, 1])];
    add('EyeLike', newestOf('EyeLike'), type, { inputs: [make(type, [2, 3])], attributes: { k: 1 }, expect });
  }
  add('EyeLike', 9, 'another type', { inputs: [make('float32', [3, 2])], attributes: { dtype: 7, k: -1 } });
  add('EyeLike', 9, 'empty', { inputs: [make('float32', [0, 2])] });
  add('EyeLike', 9, 'rank 1', { inputs: [make('float32', [2])], error: /rank/ });
}

// Nearest elements are taken, of whatever type.
function nearestRows(add) {
  const scales = make('float32', [4], [1, 1, 2, 2]);
  const x = (t) => make(t, [1, 1, 1, 3]);
  moves(add, 'Resize', 19, 'nearest', { inputs: (t) => [x(t), null, scales], every: true });
  moves(add, 'Upsample', 9, 'nearest', { inputs: (t) => [x(t), scales], every: true, by: resizedTo(x) });
}

function gridRows(add) {
  const grid = make('float32', [1, 1, 4, 2], [-1, -1, 1, 1, 0, 0, 3, 0]);
  const attributes = { mode: 'nearest', align_corners: 1 };
  moves(add, 'GridSample', 22, 'nearest', { inputs: (t) => [make(t, [1, 1, 3, 3]), grid], attributes, every: true });
}

const resizedTo = (x) => ({ ...resized(), inputs: [x('int64'), null, make('float32', [4], [1, 1, 2, 2])] });

export function rows(add) {
  nearestRows(add);
  gridRows(add);
  for (const [op, at, name, dims, more = [], attributes = {}, outputs = 1, by = undefined] of kRows()) {
    const { more: others, ...rest } = by ?? {};
    const inputs = (t) => [make(t, dims), ...more];
    const like = by && { ...rest, ...(others ? { inputs: [make('float32', dims), ...others] } : {}) };
    moves(add, op, at, name, { inputs, attributes, outputs, by: like });
  }
  for (const [op, [dims, more = [], attributes = {}, outputs = 1]] of Object.entries(kEvery)) {
    moves(add, op, newestOf(op), 'type', { inputs: (t) => [make(t, dims), ...more], attributes, outputs, every: true });
  }
  for (const [op, at, name, dims, more, attributes, error] of kErrors) {
    const outputs = op === 'Split' ? Math.max(1, more[0].dims[0]) : 1;
    add(op, at, name, { inputs: [make('float32', dims), ...more], attributes, outputs, error });
  }
  concatRows(add);
  scatterRows(add);
  padRows(add);
  fillRows(add);
  for (const op of ['Reshape', 'Flatten', 'Transpose', 'Identity']) {
    for (const { since } of versionsOf(op))
      if (since >= 13)
        add(op, since, 'at this version', {
          inputs: [make('float32', [2, 3]), ...(op === 'Reshape' ? [ints(6)] : [])],
          move: [0],
        });
  }
}

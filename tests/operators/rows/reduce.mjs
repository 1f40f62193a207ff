// Rows of reductions, of what runs along an axis, and of what selects: Reduce*, ArgMax, Softmax, CumSum, TopK, Unique...
import { elementwise, larger, smaller } from '../naive.mjs';
import { newestOf, typesAt, versionsOf } from '../schemas.mjs';
import { isWhole, make, numbersOf } from '../values.mjs';

const ints = (...list) => make('int64', [list.length], list);
const kLong = [1, 2, 1, 2, 1, 2, 1, 3];
const kReductions = ['L1', 'L2', 'LogSum', 'LogSumExp', 'Max', 'Mean', 'Min', 'Prod', 'Sum', 'SumSquare'];

// Whole numbers that overflow: the sum of a vector, wrapped.
const kWhole = {
  ReduceSum: (list) => list.reduce((a, b) => a + b, 0n),
  ReduceProd: (list) => list.reduce((a, b) => a * b, 1n),
  ReduceSumSquare: (list) => list.reduce((a, b) => a + b * b, 0n),
  ReduceMax: (list) => list.reduce(larger),
  ReduceMin: (list) => list.reduce(smaller),
};

function wholeOf(op, x) {
  const fn = isWhole(x.type) && kWhole[op];
  if (!fn) return undefined;
  const one = make('int64', [1], [0]);
  return [elementwise(() => fn(numbersOf(x).map(BigInt)), x.type, one)];
}

// Each of 3 rows of whole numbers whose type one reference lacks and the other changes.
function rowsOf(op, x) {
  if (op !== 'ReduceSumSquare' || !x.type.startsWith('uint')) return undefined;
  const list = numbersOf(x).map(BigInt);
  return [
    make(
      x.type,
      [3],
      [0, 1, 2].map((i) => kWhole[op](list.slice(5 * i, 5 * i + 5))),
    ),
  ];
}

function reduction(add, op) {
  const at = newestOf(op);
  const kind = op === 'ReduceLogSum' ? 'positive' : 'small';
  const f = (dims, fill = kind) => make('float32', dims, fill);
  for (const type of typesAt(op, at)) {
    const x = make(type, [3, 5], kind);
    add(op, at, `${type} last axis`, { inputs: [x, ints(-1)], attributes: { keepdims: 0 }, expect: rowsOf(op, x) });
    const extreme = make(type, [12], type === 'bool' ? kind : 'special');
    if (!isWhole(type) || kWhole[op])
      add(op, at, `${type} special`, { inputs: [extreme], expect: wholeOf(op, extreme) });
  }
  add(op, at, 'a NaN apart', {
    inputs: [make('float32', [3, 4], [1, 2, NaN, 3, Infinity, 1, 2, 3, -Infinity, 1, Infinity, 0.5]), ints(1)],
    unlike: /M(ax|in)$/.test(op) ? 'it loses a NaN' : undefined,
  });
  add(op, at, 'rank 0', { inputs: [f([])], by: { at: 20 } });
  add(op, at, 'rank 8', { inputs: [f(kLong), ints(1, -1, 3)] });
  add(op, at, 'middle', { inputs: [f([2, 3, 4]), ints(1)] });
  add(op, at, 'first and last', { inputs: [f([2, 3, 4]), ints(-1, 0)], attributes: { keepdims: 0 } });
  add(op, at, 'nothing left', { inputs: [f([0, 3]), ints(1)] });
  add(op, at, 'axes that are empty', { inputs: [f([2, 2]), ints()] });
  add(op, at, 'no axes are none', {
    inputs: [make('float32', [2, 2], 'positive')],
    attributes: { noop_with_empty_axes: 1 },
  });
  emptyRow(add, op, at);
  add(op, at, 'axis too large', { inputs: [f([2]), ints(1)], error: /axis/ });
  add(op, at, 'an axis twice', { inputs: [f([2, 2]), ints(1, -1)], error: /axis|axes/ });
  for (const { since } of versionsOf(op)) {
    const x = f([2, 3, 2]);
    const early = since < (op === 'ReduceSum' ? 13 : 18);
    if (!early) add(op, since, 'at its version', { inputs: [x, ints(1)] });
    else
      add(op, since, 'attribute', {
        inputs: [x],
        attributes: { axes: since < 11 ? [1] : [-2] },
        by: { at, attributes: {}, inputs: [x, ints(1)] },
      });
    if (early) add(op, since, 'all', { inputs: [x], attributes: { keepdims: 0 }, by: { at } });
  }
}

// Of nothing: what the standard's pages say.
const kEmpty = {
  Sum: 0,
  L1: 0,
  L2: 0,
  SumSquare: 0,
  LogSum: -Infinity,
  LogSumExp: -Infinity,
  Prod: 1,
  Max: -Infinity,
  Min: Infinity,
  Mean: NaN,
};

function emptyRow(add, op, at) {
  const value = kEmpty[op.slice(6)];
  const expect = [make('float32', [2, 1], [value, value])];
  add(op, at, 'of nothing', { inputs: [make('float32', [2, 0]), ints(1)], expect });
}

function argRows(add, op) {
  const at = newestOf(op);
  for (const type of typesAt(op, at)) add(op, at, type, { inputs: [make(type, [3, 5])], attributes: { axis: -1 } });
  const x = (dims) => [make('float32', dims)];
  for (const last of [0, 1])
    add(op, at, `ties, select_last_index ${last}`, {
      inputs: [make('float32', [2, 4], [1, 2, 2, 1, 0, 0, 0, 0])],
      attributes: { axis: 1, select_last_index: last, keepdims: 0 },
    });
  add(op, at, 'rank 8', { inputs: x(kLong), attributes: { axis: -2 } });
  add(op, at, 'nothing left', { inputs: x([0, 3]), attributes: { axis: 1 } });
  add(op, at, 'infinities', { inputs: [make('float32', [4], [-Infinity, 1, Infinity, Infinity])] });
  add(op, at, 'a NaN', { inputs: [make('float32', [4], [1, NaN, 3, NaN])], expect: [make('int64', [1], [1])] }); // numpy's rule
  add(op, at, 'of nothing', { inputs: x([0]), error: /empty|zero|0/ });
  add(op, at, 'axis too large', { inputs: x([2]), attributes: { axis: 1 }, error: /axis 1/ });
  for (const { since } of versionsOf(op))
    add(op, since, 'at its version', { inputs: x([2, 3]), attributes: { axis: 1, keepdims: 0 } });
}

function softmaxRows(add, op) {
  const at = newestOf(op);
  for (const type of typesAt(op, at)) add(op, at, type, { inputs: [make(type, [3, 5])] });
  const x = (dims, kind) => [make('float32', dims, kind)];
  add(op, at, 'first axis', { inputs: x([3, 4]), attributes: { axis: 0 } });
  add(op, at, 'rank 8', { inputs: x(kLong), attributes: { axis: -5 } });
  add(op, at, 'empty', { inputs: x([2, 0]) });
  add(op, at, 'empty before', { inputs: x([0, 3]) });
  add(op, at, 'far apart', { inputs: [make('float32', [2, 4], [1000, -1000, 0, 999, -3e38, -3e38, -3e38, -3e38])] });
  if (op !== 'Hardmax') {
    add(op, at, 'masked', { inputs: [make('float32', [1, 4], [-Infinity, 1, 2, -Infinity])] });
    add(op, at, 'NaN', { inputs: [make('float32', [2, 3], [1, NaN, 2, 1, 2, 3])] });
  }
  add(op, at, 'axis too large', { inputs: x([2, 2]), attributes: { axis: 2 }, error: /axis 2/ });
  add(op, 1, 'two dimensions', { inputs: x([2, 3, 2]), by: { at: 11 } });
  add(op, 11, 'two dimensions', { inputs: x([2, 3, 2]), attributes: { axis: -2 } });
}

function cumulativeRows(add) {
  for (const op of ['CumSum', 'CumProd']) {
    const at = newestOf(op);
    for (const type of typesAt(op, at)) add(op, at, type, { inputs: [make(type, [3, 4]), make('int32', [], [-1])] });
    for (const exclusive of [0, 1]) {
      for (const reverse of [0, 1])
        add(op, at, `exclusive ${exclusive} reverse ${reverse}`, {
          inputs: [make('float32', [2, 3, 2]), make('int64', [], [1])],
          attributes: { exclusive, reverse },
        });
    }
    add(op, at, 'rank 8', { inputs: [make('float32', kLong), make('int64', [], [7])] });
    add(op, at, 'empty', { inputs: [make('float32', [2, 0]), make('int64', [], [1])] });
    add(op, at, 'NaN and infinities', {
      inputs: [make('float32', [6], [1, Infinity, 2, -Infinity, 3, 4]), make('int64', [], [0])],
    });
    add(op, at, 'axis too large', { inputs: [make('float32', [2]), make('int64', [], [1])], error: /axis/ });
    const wraps = make('int32', [3], [2 ** 31 - 1, 2, 3]);
    const expect = [
      make('int32', [3], op === 'CumSum' ? [2 ** 31 - 1, -(2 ** 31) + 1, -(2 ** 31) + 4] : [2 ** 31 - 1, -2, -6]),
    ];
    add(op, at, 'overflow', { inputs: [wraps, make('int64', [], [0])], expect });
  }
  for (const at of [11, 14])
    add('CumSum', at, 'at its version', { inputs: [make('float32', [3]), make('int32', [], [0])] });
}

function topKRows(add) {
  const at = newestOf('TopK');
  for (const type of typesAt('TopK', at)) {
    const x = isWhole(type)
      ? make(
          type,
          [5],
          [3, 1, 4, 1, 5].map((v) => v % 8),
        )
      : make(type, [5], [3, -1, 4, 0.5, 5]);
    add('TopK', at, type, { inputs: [x, ints(3)], outputs: 2 });
  }
  const x = (dims) => make('float32', dims);
  const two = { outputs: 2 };
  add('TopK', at, 'ties by index', { inputs: [make('float32', [6], [1, 2, 2, 1, 2, 0]), ints(4)], ...two });
  add('TopK', at, 'smallest', { inputs: [x([3, 4]), ints(2)], attributes: { largest: 0, axis: -2 }, ...two });
  add('TopK', at, 'none', { inputs: [x([3]), ints(0)], ...two, expect: [make('float32', [0], []), ints()] });
  add('TopK', at, 'all, rank 8', { inputs: [x(kLong), ints(3)], ...two });
  add('TopK', at, 'infinities', { inputs: [make('float32', [5], [-Infinity, 3, Infinity, -0, 0]), ints(5)], ...two });
  add('TopK', at, 'too many', { inputs: [x([3]), ints(4)], ...two, error: /4/ });
  add('TopK', at, 'negative', { inputs: [x([3]), ints(-1)], ...two, error: /-1/ });
  add('TopK', at, 'axis too large', { inputs: [x([3]), ints(1)], attributes: { axis: 1 }, ...two, error: /axis 1/ });
  const y = x([2, 4]);
  add('TopK', 10, 'at its version', { inputs: [y, ints(2)], ...two });
  add('TopK', 11, 'at its version', { inputs: [y, ints(2)], ...two });
  add('TopK', 1, 'attribute', {
    inputs: [y],
    attributes: { k: 2 },
    ...two,
    by: { at: 11, attributes: {}, inputs: [y, ints(2)] },
  });
}

function selectionRows(add) {
  for (const type of typesAt('NonZero', newestOf('NonZero'))) {
    if (type === 'string' || type.startsWith('complex')) {
      const x = make(type, [3], type === 'string' ? ['', 'a', ''] : [0, 0, 0, 1, 0, 0]);
      add('NonZero', 13, type, { inputs: [x], expect: [make('int64', [1, 1], [1])] });
    } else
      add('NonZero', 13, type, {
        inputs: [make(type, [2, 3], [0, 1, 0, 1, 1, 0])],
        expect: [make('int64', [2, 3], [0, 1, 1, 1, 0, 1])],
      });
  }
  add('NonZero', 13, 'rank 0', { inputs: [make('float32', [], [2])], expect: [make('int64', [0, 1], [])] });
  add('NonZero', 13, 'rank 8', { inputs: [make('float32', kLong)] });
  add('NonZero', 13, 'empty', { inputs: [make('float32', [0, 2])], expect: [make('int64', [2, 0], [])] });
  add('NonZero', 13, 'NaN and -0', { inputs: [make('float32', [4], [NaN, -0, Infinity, 0])] });
  add('NonZero', 9, 'at its version', { inputs: [make('float32', [2, 2])] });
  const four = { outputs: 4 };
  for (const type of typesAt('Unique', newestOf('Unique'))) {
    if (type.startsWith('complex')) continue; // they have no order
    const list = type === 'string' ? ['b', 'a', 'b', 'c'] : type === 'bool' ? [1, 0, 1, 1] : [2, 1, 2, 3];
    const first =
      type === 'bool'
        ? [
            [0, 1],
            [1, 0],
            [1, 0, 1, 1],
            [1, 3],
          ]
        : [
            [1, 2, 3],
            [1, 0, 3],
            [1, 0, 1, 2],
            [1, 2, 1],
          ];
    const values = type === 'string' ? ['a', 'b', 'c'] : first[0];
    const [indices, inverse, counts] = first.slice(1).map((l) => ints(...l));
    add('Unique', newestOf('Unique'), type, {
      inputs: [make(type, [4], list)],
      ...four,
      expect: [make(type, [values.length], values), indices, inverse, counts],
    });
  }
  add('Unique', 11, 'by first place', {
    inputs: [make('float32', [5], [3, 1, 3, 2, 1])],
    attributes: { sorted: 0 },
    ...four,
  });
  add('Unique', 11, 'rows', {
    inputs: [make('float32', [3, 2], [1, 2, 0, 5, 1, 2])],
    attributes: { axis: 0 },
    ...four,
  });
  add('Unique', 11, 'columns', {
    inputs: [make('float32', [2, 3], [1, 0, 1, 2, 3, 2])],
    attributes: { axis: -1 },
    ...four,
  });
  add('Unique', 11, 'axis too large', { inputs: [make('float32', [2])], attributes: { axis: 1 }, error: /axis 1/ });
  add('Unique', 11, 'empty', {
    inputs: [make('float32', [0])],
    ...four,
    expect: [make('float32', [0], []), ints(), ints(), ints()],
  });
  for (const type of typesAt('OneHot', newestOf('OneHot'), 2))
    add('OneHot', newestOf('OneHot'), type, {
      inputs: [ints(1, -1, 9), make('int64', [], [3]), make(type, [2], 'positive')],
      move: [2],
    });
  for (const type of typesAt('OneHot', newestOf('OneHot'), 0))
    add('OneHot', newestOf('OneHot'), `indices ${type}`, {
      inputs: [make(type, [3], [1, 0, 2]), make('int64', [1], [3]), make('float32', [2], [0, 1])],
      expect: [make('float32', [3, 3], [0, 1, 0, 1, 0, 0, 0, 0, 1])],
    });
  for (const type of typesAt('OneHot', newestOf('OneHot'), 1))
    add('OneHot', newestOf('OneHot'), `depth ${type}`, {
      inputs: [ints(1, 0), make(type, [], [2]), make('float32', [2], [0, 1])],
      expect: [make('float32', [2, 2], [0, 1, 1, 0])],
    });
  add('OneHot', newestOf('OneHot'), 'first axis', {
    inputs: [make('int64', [2, 2], [0, 1, 2, -3]), make('int64', [], [3]), make('float32', [2])],
    attributes: { axis: 0 },
  });
  add('OneHot', newestOf('OneHot'), 'rank 0', {
    inputs: [make('int64', [], [1]), make('int64', [], [3]), make('float32', [2])],
  });
  for (const at of [11, 9])
    add('OneHot', at, 'at its version', { inputs: [ints(0, 2), make('int64', [], [3]), make('float32', [2])] });
  add('OneHot', newestOf('OneHot'), 'a negative depth', {
    inputs: [ints(0), make('int64', [], [-1]), make('float32', [2])],
    error: /depth|-1/,
  });
}

export function rows(add) {
  for (const name of kReductions) reduction(add, `Reduce${name}`);
  for (const op of ['ArgMax', 'ArgMin']) argRows(add, op);
  for (const op of ['Softmax', 'LogSoftmax', 'Hardmax']) softmaxRows(add, op);
  cumulativeRows(add);
  topKRows(add);
  selectionRows(add);
}

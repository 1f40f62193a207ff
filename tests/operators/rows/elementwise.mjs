// Rows of the elementwise operators.
import { elementwise, larger, smaller } from '../naive.mjs';
import { newestOf, typesAt, versionsOf } from '../schemas.mjs';
import { isWhole, make } from '../values.mjs';

// The shapes that any elementwise operator takes: rank 0, nothing, nothing in the middle, rank 8.
const kShapes = [[], [0], [2, 0, 3], [1, 2, 1, 2, 1, 2, 1, 3]];

// Operator -> the kind of values inside its domain.
const kUnary = {
  Abs: 'small',
  Neg: 'small',
  Sign: 'small',
  Reciprocal: 'positive',
  Ceil: 'small',
  Floor: 'small',
  Round: 'small',
  Sqrt: 'positive',
  Exp: 'small',
  Log: 'positive',
  Sin: 'small',
  Cos: 'small',
  Tan: 'unit',
  Asin: 'unit',
  Acos: 'unit',
  Atan: 'small',
  Sinh: 'small',
  Cosh: 'small',
  Asinh: 'small',
  Acosh: 'positive',
  Atanh: 'unit',
  Erf: 'small',
  Not: 'small',
  BitwiseNot: 'small',
  IsNaN: 'special',
  IsInf: 'special',
  Relu: 'small',
  LeakyRelu: 'small',
  Sigmoid: 'small',
  HardSigmoid: 'small',
  HardSwish: 'small',
  Tanh: 'small',
  Elu: 'small',
  Selu: 'small',
  Celu: 'small',
  ThresholdedRelu: 'small',
  Softplus: 'small',
  Softsign: 'small',
  Gelu: 'small',
  Mish: 'small',
  Swish: 'small',
  Shrink: 'small',
};

const kAttributes = {
  LeakyRelu: { alpha: 0.25 },
  HardSigmoid: { alpha: 0.25, beta: 0.375 },
  Elu: { alpha: 1.5 },
  Selu: { alpha: 1.5, gamma: 0.75 },
  Celu: { alpha: 1.5 },
  ThresholdedRelu: { alpha: 0.75 },
  Gelu: { approximate: 'tanh' },
  Swish: { alpha: 0.5 },
  Shrink: { lambd: 0.75, bias: 0.25 },
  IsInf: { detect_negative: 0 },
};

// Whole numbers, at the ends of their range, where neither other source has the type or wraps as the standard's types do.
const kWhole = {
  Abs: (x) => (x < 0n ? -x : x),
  Neg: (x) => -x,
  Sign: (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n),
  Relu: (x) => (x > 0n ? x : 0n),
  BitwiseNot: (x) => ~x,
  Shrink: (x) => x, // less a bias of 0, outside -0.5..0.5
};

function unary(add, op, kind) {
  const at = newestOf(op);
  for (const type of typesAt(op, at)) {
    const whole = isWhole(type) ? kWhole[op] : undefined;
    const expect = (x) => whole && [elementwise(whole, type, x)];
    const single = type === 'float64' && /^(Erf|Gelu|HardSwish|Shrink)$/.test(op);
    for (const fill of new Set([kind, type === 'bool' ? kind : 'special'])) {
      const x = make(type, [12], fill);
      add(op, at, `${type} ${fill}`, { inputs: [x], expect: expect(x), single });
    }
  }
  const type = typesAt(op, at).includes('float32') ? 'float32' : typesAt(op, at)[0];
  for (const dims of kShapes) add(op, at, `shape [${dims}]`, { inputs: [make(type, dims, kind)] });
  if (kAttributes[op]) add(op, at, 'attributes', { inputs: [make(type, [2, 9], kind)], attributes: kAttributes[op] });
  for (const { since, gone, attributes } of versionsOf(op)) {
    if (gone) continue;
    const old = 'consumed_inputs' in attributes ? { consumed_inputs: [0] } : {};
    const x = make(type, [7], kind);
    // The defaults of Selu had fewer digits.
    const by = op === 'Selu' && since === 1 ? { at, attributes: { alpha: 1.6732, gamma: 1.0507 } } : { at };
    add(op, since, 'at its version', { inputs: [x], attributes: old, by });
  }
}

// Operators of two inputs: the kinds of both.
const kBinary = {
  Add: ['small', 'small'],
  Sub: ['small', 'small'],
  Mul: ['small', 'small'],
  Div: ['wide', 'positive'],
  Pow: ['positive', 'small'],
  Mod: ['wide', 'positive'],
  BitShift: ['small', 'positive'],
  BitwiseAnd: ['wide', 'wide'],
  BitwiseOr: ['wide', 'wide'],
  BitwiseXor: ['wide', 'wide'],
  And: ['small', 'small'],
  Or: ['small', 'small'],
  Xor: ['small', 'small'],
  PRelu: ['small', 'small'],
  Equal: ['small', 'small'],
  Less: ['small', 'small'],
  Greater: ['small', 'small'],
  LessOrEqual: ['small', 'small'],
  GreaterOrEqual: ['small', 'small'],
  Max: ['small', 'small'],
  Min: ['small', 'small'],
  Sum: ['small', 'small'],
  Mean: ['small', 'small'],
};
const kLogic = /^(Equal|Less|Greater|LessOrEqual|GreaterOrEqual)$/;

// Division by zero has no value in the standard: 0 here, and no trap. Remainders have the sign of the divisor.
const divide = (a, b) => (b === 0n ? 0n : a / b);
const modulo = (a, b) => (b === 0n ? 0n : ((a % b) + b) % b);
const power = (a, b) => (b >= 0n ? a ** (b % 64n) : a === 1n ? 1n : a === -1n ? (b % 2n === 0n ? 1n : -1n) : 0n);
const kWholePairs = {
  Add: (a, b) => a + b,
  Sub: (a, b) => a - b,
  Mul: (a, b) => a * b,
  Div: divide,
  Mod: modulo,
  Pow: power,
  BitShift: (a, b) => (b >= 64n ? 0n : a << b),
  BitwiseAnd: (a, b) => a & b,
  BitwiseOr: (a, b) => a | b,
  BitwiseXor: (a, b) => a ^ b,
  Equal: (a, b) => a === b,
  Less: (a, b) => a < b,
  Greater: (a, b) => a > b,
  LessOrEqual: (a, b) => a <= b,
  GreaterOrEqual: (a, b) => a >= b,
  Max: larger,
  Min: smaller,
  PRelu: (a, b) => (a < 0n ? a * b : a),
};
const kUnlike = { BitShift: { direction: 'LEFT' } };

// What onnx's evaluator computes in float32, or otherwise than the standard's text: PRelu of -0 is -0.
const kDoubles = { Mean: (a, b) => (a + b) / 2, PRelu: (a, b) => (a < 0 ? a * b : a) };

function binaryTypes(add, op, at, kinds) {
  for (const type of typesAt(op, at)) {
    const whole = isWhole(type) ? kWholePairs[op] : undefined;
    const fills = type === 'bool' || type === 'string' ? [kinds] : [kinds, ['special', 'special']];
    for (const fill of fills) {
      const powers = /^(Pow|BitShift)$/.test(op) && fill[0] === 'special' && isWhole(type);
      const left = make(type, op === 'PRelu' ? [8, 9] : [8, 1], fill[0]);
      const right = make(type, [1, 9], powers ? 'positive' : fill[1]);
      const result = kLogic.test(op) ? 'bool' : type;
      const attributes = op === 'Mod' && !isWhole(type) ? { fmod: 1 } : kUnlike[op];
      // In float32 the sum of two large numbers would be infinite.
      const fn = whole ?? (type === 'float64' ? kDoubles[op] : undefined);
      const expect = fn && [elementwise(fn, result, left, right)];
      add(op, at, `${type} ${fill[0]} both ways`, { inputs: [left, right], attributes, expect });
    }
  }
}

function binaryShapes(add, op, at, [left, right]) {
  const types = typesAt(op, at);
  const type = types.includes('float32') ? 'float32' : types.includes('uint32') ? 'uint32' : types[0];
  const attributes = op === 'Mod' ? { fmod: 1 } : kUnlike[op];
  const pairs = [
    [[], []],
    [[0], [1]],
    [[2, 0, 3], [3]],
    [
      [1, 2, 1, 2, 1, 2, 1, 3],
      [2, 1, 2, 1, 2, 1, 3],
    ],
    [[3], []],
    [
      [2, 3],
      [2, 1],
    ],
  ];
  if (op !== 'PRelu') pairs.push([[], [2, 3]], [[1], [0]], [[3], [2, 3]], [[2, 1, 1, 2, 1, 1, 1, 1], [3]]);
  for (const [a, b] of pairs) {
    add(op, at, `[${a}] with [${b}]`, { inputs: [make(type, a, left), make(type, b, right)], attributes });
  }
  const bad = [make(type, [2, 3], left), make(type, [2, 4], right)];
  add(op, at, 'shapes that do not broadcast', { inputs: bad, attributes, error: /broadcast|dimension|shape/ });
}

// Versions 1 and 6: `broadcast` with `axis`; the same values by reshaping the second for a newer version.
function oldBroadcast(add, op, kinds) {
  for (const { since, gone, attributes } of versionsOf(op)) {
    if (gone || !attributes.broadcast) continue;
    const type = typesAt(op, since).includes('float32') ? 'float32' : 'bool';
    const at = newestOf(op);
    const x = make(type, [2, 3, 4], kinds[0]);
    const same = make(type, [2, 3, 4], kinds[1]);
    const middle = make(type, [3], kinds[1]);
    const suffix = make(type, [3, 4], kinds[1]);
    const reshaped = { ...middle, dims: [3, 1] };
    add(op, since, 'without broadcast', { inputs: [x, same], by: { at } });
    add(op, since, 'axis 1', {
      inputs: [x, middle],
      attributes: { broadcast: 1, axis: 1 },
      by: { at, inputs: [x, reshaped] },
    });
    add(op, since, 'suffix', { inputs: [x, suffix], attributes: { broadcast: 1 }, by: { at } });
    add(op, since, 'negative axis', {
      inputs: [x, middle],
      attributes: { broadcast: 1, axis: -2 },
      by: { at, inputs: [x, reshaped] },
    });
    const wrong = { inputs: [x, make(type, [2], kinds[1])], attributes: { broadcast: 1, axis: 1 } };
    add(op, since, 'an axis that does not fit', { ...wrong, error: /./ });
  }
}

function variadic(add, op) {
  const at = newestOf(op);
  const f = (dims, kind) => make('float32', dims, kind);
  add(op, at, 'one input', { inputs: [f([2, 2])] });
  add(op, at, 'four of different ranks', { inputs: [f([2, 1, 3]), f([]), f([4, 1]), f([1, 3])] });
  add(op, at, 'an empty one', { inputs: [f([2, 0]), f([1]), f([2, 1])] });
  add(op, at, 'NaN in each place', { inputs: [f([12], 'special'), f([12]), f([12], 'special')] });
  add(op, at, 'no input', { inputs: [], error: /input/ });
}

function modRows(add) {
  for (const type of ['float16', 'bfloat16', 'float32', 'float64', 'int8', 'int64', 'uint16']) {
    const inputs = [make(type, [12], 'wide'), make(type, [12], 'positive')];
    const expect = isWhole(type) ? [elementwise((a, b) => (b === 0n ? 0n : a % b), type, ...inputs)] : undefined;
    add('Mod', 13, `fmod ${type}`, { inputs, attributes: { fmod: 1 }, expect });
  }
  const inputs = [make('int32', [4], [-7, 7, -7, 7]), make('int32', [4], [3, -3, -3, 3])];
  add('Mod', 10, 'signs', { inputs });
}

function shiftRows(add) {
  for (const type of ['uint8', 'uint16', 'uint32', 'uint64']) {
    const inputs = [make(type, [4], 'special'), make(type, [4], [0, 1, 7, 3])];
    const expect = [elementwise((a, b) => a >> b, type, ...inputs)];
    add('BitShift', 11, `right ${type}`, { inputs, attributes: { direction: 'RIGHT' }, expect });
    const wide = [make(type, [3], [1, 255, 3]), make(type, [3], [8, 32, 64])];
    const gone = (a, b) => (b >= BigInt(/\d+/.exec(type)[0]) ? 0n : a << b);
    add('BitShift', 11, `by the width ${type}`, {
      inputs: wide,
      attributes: { direction: 'LEFT' },
      expect: [elementwise(gone, type, ...wide)],
    });
  }
  const inputs = [make('uint8', [1], [1]), make('uint8', [1], [1])];
  add('BitShift', 11, 'no direction', { inputs, error: /direction/ });
  add('BitShift', 11, 'an unknown direction', { inputs, attributes: { direction: 'UP' }, error: /direction/ });
}

// The exponent has a type of its own.
function powRows(add) {
  for (const power of typesAt('Pow', 15, 1)) {
    add('Pow', 15, `float32 to ${power}`, { inputs: [make('float32', [6], 'positive'), make(power, [6], 'small')] });
  }
  add('Pow', 15, 'int32 to float32', {
    inputs: [make('int32', [4], [2, 3, -2, 0]), make('float32', [4], [3, 0.5, 2, 0])],
  });
}

function clipRows(add) {
  const at = newestOf('Clip');
  for (const type of typesAt('Clip', at)) {
    const low = make(type, [], [isWhole(type) ? 1 : -0.5]);
    const high = make(type, [], [isWhole(type) ? 3 : 1.25]);
    for (const kind of ['small', 'special'])
      add('Clip', at, `${type} ${kind}`, { inputs: [make(type, [12], kind), low, high] });
  }
  const x = make('float32', [2, 4], 'special');
  const f = (v) => make('float32', [], [v]);
  // onnxruntime takes the largest finite numbers for the missing limits, the standard's function leaves them out.
  const unlike = 'infinities become finite there';
  add('Clip', at, 'min only', { inputs: [x, f(-1)], unlike });
  add('Clip', at, 'max only', { inputs: [x, null, f(1)], unlike });
  add('Clip', at, 'neither', { inputs: [x], unlike });
  add('Clip', 13, 'min above max', { inputs: [make('float32', [5]), f(1), f(-1)] });
  for (const dims of kShapes) add('Clip', at, `shape [${dims}]`, { inputs: [make('float32', dims), f(-1), f(1)] });
  for (const since of [1, 6]) {
    add('Clip', since, 'attributes', {
      inputs: [x],
      attributes: { min: -0.5, max: 1.5 },
      by: { at, inputs: [x, f(-0.5), f(1.5)], attributes: {} },
    });
    add('Clip', since, 'no limits', { inputs: [make('float32', [4], 'wide')], by: { at } });
  }
  for (const since of [11, 12, 13]) add('Clip', since, 'at its version', { inputs: [x, f(0), f(2)] });
  add('Clip', 13, 'a min that is no number', { inputs: [x, make('float32', [2])], error: /min|one|scalar|shape/ });
}

function whereRows(add) {
  const at = newestOf('Where');
  for (const type of typesAt('Where', at, 1)) {
    const inputs = [make('bool', [2, 1, 3], [1, 0, 1, 0, 0, 1]), make(type, [2, 1]), make(type, [3])];
    add('Where', at, type, { inputs, move: [1, 2] });
  }
  for (const dims of kShapes) {
    add('Where', 9, `shape [${dims}]`, { inputs: [make('bool', dims), make('float32', dims), make('float32', [])] });
  }
  add('Where', 9, 'both ways', { inputs: [make('bool', [3, 1]), make('float32', [1, 4]), make('float32', [2, 1, 1])] });
  add('Where', 9, 'no broadcast', {
    inputs: [make('bool', [3]), make('float32', [4]), make('float32', [1])],
    error: /broadcast|dimension|shape/,
  });
}

export function rows(add) {
  for (const [op, kind] of Object.entries(kUnary)) unary(add, op, kind);
  for (const [op, kinds] of Object.entries(kBinary)) {
    const at = newestOf(op);
    binaryTypes(add, op, at, kinds);
    binaryShapes(add, op, at, kinds);
    oldBroadcast(add, op, kinds);
    const [left, right] = kinds;
    const type = typesAt(op, at).includes('float32') ? 'float32' : typesAt(op, at)[0];
    const allowed = (since) => (typesAt(op, since).includes(type) ? type : typesAt(op, since)[0]);
    for (const { since, gone } of versionsOf(op)) {
      if (gone) continue;
      const inputs = [make(allowed(since), [2, 3], left), make(allowed(since), [2, 3], right)];
      const attributes = op === 'Mod' && !isWhole(allowed(since)) ? { fmod: 1 } : kUnlike[op];
      add(op, since, 'at its version', { inputs, attributes, by: { at } });
    }
  }
  for (const op of ['Max', 'Min', 'Sum', 'Mean']) variadic(add, op);
  modRows(add);
  shiftRows(add);
  powRows(add);
  clipRows(add);
  whereRows(add);
}

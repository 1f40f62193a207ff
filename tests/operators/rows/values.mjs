// Rows of conversions and quantisation, of sequences, optionals, control flow, texts, signals, random numbers, training.
import { kTypes, node, port, tensorType } from '../../js/make_model.mjs';
import { elementwise } from '../naive.mjs';
import { newestOf, typesAt, versionsOf } from '../schemas.mjs';
import { isCoded, make, numbersOf } from '../values.mjs';

const ints = (...list) => make('int64', [list.length], list);
const int = (v) => make('int64', [], [v]);
const f = (dims, kind = 'small') => make('float32', dims, kind);

function castRows(add) {
  const at = newestOf('Cast');
  const types = typesAt('Cast', at).filter((t) => t in kTypes);
  const list = (t) => (t === 'string' ? ['1', '0', '2', '3'] : t === 'float8e8m0' ? [1, 0.5, 2, 4] : [1, 0, 2, 3]);
  for (const from of types.filter((t) => t !== 'float8e8m0')) {
    for (const to of types) {
      if (to === 'float8e8m0') continue; // has no 0; its rounding is the suite's
      const numbers =
        to === 'bool'
          ? [1, 0, 1, 1]
          : [1, 0, from === 'bool' ? 1 : 2, 3].map((v) => (from === 'bool' ? Number(v > 0) : v));
      if (/^int2$/.test(from) || /^int2$/.test(to)) continue; // 2 and 3 are not in it
      const values = from === 'bool' ? [1, 0, 1, 1] : list(from);
      const text = (v) => (from === 'bool' ? (v ? 'True' : 'False') : String(v));
      if (to === 'string' && from === 'bool') continue;
      const expect = [make(to, [4], to === 'string' ? values.map(text) : numbers)];
      add('Cast', at, `${from} to ${to}`, {
        inputs: [make(from, [4], values)],
        attributes: { to: kTypes[to] },
        expect,
      });
    }
  }
  for (const to of ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64']) {
    const x = make('int64', [5], [-1, 255, 65536 + 7, 2n ** 40n + 3n, -(2n ** 63n)]);
    add('Cast', at, `int64 wraps in ${to}`, {
      inputs: [x],
      attributes: { to: kTypes[to] },
      expect: [elementwise((v) => v, to, x)],
    });
  }
  const special = () => f([12], 'special');
  for (const to of ['float64', 'bool', 'float32'])
    add('Cast', at, `special to ${to}`, { inputs: [special()], attributes: { to: kTypes[to] } });
  for (const to of ['float16', 'bfloat16']) {
    const x = special();
    add('Cast', at, `special to ${to}`, {
      inputs: [x],
      attributes: { to: kTypes[to] },
      expect: [make(to, [12], numbersOf(x))],
    });
  }
  for (const { since } of versionsOf('Cast').slice(1))
    add('Cast', since, 'at its version', { inputs: [f([3])], attributes: { to: 7 } });
  add('Cast', 1, 'a name', { inputs: [f([3])], attributes: { to: 'INT64' }, by: { at: 13, attributes: { to: 7 } } });
  add('Cast', at, 'an unknown type', { inputs: [f([3])], attributes: { to: 99 }, error: /99/ });
  add('Cast', at, 'a text that is no number', {
    inputs: [make('string', [1], ['pear'])],
    attributes: { to: 1 },
    error: /pear/,
  });
  add('Cast', at, 'texts', {
    inputs: [make('string', [5], ['1.5', 'NaN', '-INF', '1e3', 'inf'])],
    attributes: { to: 1 },
    expect: [f([5], [1.5, NaN, -Infinity, 1000, Infinity])],
  });
  for (const type of typesAt('CastLike', newestOf('CastLike')).filter((t) => t in kTypes && !/float8e8m0/.test(t))) {
    const values = type === 'string' ? ['1', '0'] : [1, 0];
    add('CastLike', newestOf('CastLike'), `from ${type}`, {
      inputs: [make(type, [2], values), int(1)],
      expect: [ints(1, 0)],
    });
  }
  for (const type of typesAt('CastLike', newestOf('CastLike')).filter(
    (t) => t in kTypes && !/int2$|float8e8m0/.test(t),
  )) {
    const one = (v) => make(type, [2], v);
    const expect = [one(type === 'string' ? ['1', '0'] : [1, 0])];
    add('CastLike', newestOf('CastLike'), type, {
      inputs: [make('int32', [2], [1, 0]), one(type === 'string' ? ['a', 'b'] : [1, 1])],
      expect,
    });
  }
  add('CastLike', 15, 'at its version', { inputs: [f([2], [1.75, -2]), int(1)], expect: [ints(1, -2)] });
  const bits = make('float32', [3], [1, -2, 0]);
  add('BitCast', 26, 'float32 to int32', {
    inputs: [bits],
    attributes: { to: 6 },
    expect: [{ type: 'int32', dims: [3], data: new Int32Array(bits.data.buffer) }],
  });
  for (const type of typesAt('BitCast', 26)) {
    if (!(type in kTypes)) continue;
    const x = make(type, [2, 3]);
    add('BitCast', 26, `${type} to itself`, { inputs: [x], attributes: { to: kTypes[type] }, expect: [x] });
  }
  add('BitCast', 26, 'another width', { inputs: [bits], attributes: { to: 7 }, error: /./ });
}

function quantizeRows(add) {
  for (const since of [10, 13, 19, 21, 23, 24, 25]) {
    const x = f([2, 3], [-300, 0.5, 1.5, 2.5, 300, -1]);
    add('QuantizeLinear', since, 'saturates', { inputs: [x, f([], [0.5]), make('uint8', [], [3])] });
    add('DequantizeLinear', since, 'at its version', {
      inputs: [make('uint8', [2, 3], 'byte'), f([], [0.5]), make('uint8', [], [3])],
    });
    if (since < 13) continue;
    for (const axis of [0, -1]) {
      const n = [2, 3].at(axis);
      add('QuantizeLinear', since, `axis ${axis}`, {
        inputs: [x, f([n], 'positive'), make('int8', [n], 'small')],
        attributes: { axis },
      });
      add('DequantizeLinear', since, `axis ${axis}`, {
        inputs: [make('int8', [2, 3], 'byte'), f([n], 'positive'), make('int8', [n], 'small')],
        attributes: { axis },
      });
    }
  }
  for (const type of [
    'uint8',
    'int8',
    'uint16',
    'int16',
    'uint4',
    'int4',
    'float8e4m3fn',
    'float8e5m2',
    'float8e4m3fnuz',
    'float8e5m2fnuz',
    'float4e2m1',
  ]) {
    const zero = isCoded(type) ? [0] : [1];
    add('QuantizeLinear', 25, type, { inputs: [f([6]), f([], [0.5]), make(type, [], zero)] });
    add('DequantizeLinear', 25, type, { inputs: [make(type, [6], 'small'), f([], [0.5]), make(type, [], zero)] });
    add('QuantizeLinear', 25, `blocks ${type}`, {
      inputs: [f([2, 4]), f([2, 2], 'positive'), make(type, [2, 2], Array(4).fill(zero[0]))],
      attributes: { axis: 1, block_size: 2 },
    });
  }
  for (const type of ['float16', 'bfloat16']) {
    add('QuantizeLinear', 25, `from ${type}`, {
      inputs: [make(type, [5]), make(type, [], [0.5]), make('uint8', [], [9])],
    });
    add('DequantizeLinear', 25, `to ${type}`, {
      inputs: [make('uint8', [5], 'byte'), make(type, [], [0.5]), make('uint8', [], [9])],
      exact: true,
    });
  }
  add('DequantizeLinear', 25, 'int32', { inputs: [make('int32', [4]), f([], [0.25])] });
  add('QuantizeLinear', 25, 'from int32', { inputs: [make('int32', [4], 'wide'), f([], [2]), make('uint8', [], [7])] });
  add('QuantizeLinear', 25, 'NaN and infinities', {
    inputs: [f([3], [Infinity, -Infinity, 1e30]), f([], [1]), make('int8', [], [0])],
    expect: [make('int8', [3], [127, -128, 127])],
  });
  add('QuantizeLinear', 25, 'nothing', { inputs: [f([0]), f([], [1]), make('int8', [], [0])] });
  add('QuantizeLinear', 25, 'a scale of another length', {
    inputs: [f([2, 3]), f([2], 'positive'), make('int8', [2], 'small')],
    attributes: { axis: 1 },
    error: /scale|2/,
  });
  add('DequantizeLinear', 25, 'axis too large', {
    inputs: [make('int8', [2, 3]), f([2]), make('int8', [2])],
    attributes: { axis: 2 },
    error: /axis 2/,
  });
  for (const kind of ['small', 'positive', 'wide'])
    add('DynamicQuantizeLinear', 11, kind, { inputs: [f([7], kind)], outputs: 3 });
}

const kSequenceTypes = ['float32', 'float16', 'int64', 'bool', 'string', 'complex64', 'uint8'];

function sequenceRows(add) {
  for (const type of typesAt('SequenceConstruct', 11)) {
    const [a, b, c] = [make(type, [2]), make(type, [1, 3]), make(type, [])];
    add('SequenceConstruct', 11, type, { inputs: [a, b, c], expect: [[a, b, c]] });
  }
  for (const type of kSequenceTypes) {
    const [a, b, c] = [make(type, [2]), make(type, [1, 3]), make(type, [0])];
    for (const i of [0, 2, -1, -3])
      add('SequenceAt', 11, `${type} ${i}`, { inputs: [[a, b, c], int(i)], expect: [[a, b, c].at(i)] });
    add('SequenceErase', 11, `${type} last`, { inputs: [[a, b, c]], expect: [[a, b]] });
    add('SequenceErase', 11, `${type} -2`, { inputs: [[a, b, c], int(-2)], expect: [[a, c]] });
    add('SequenceInsert', 11, `${type} last`, { inputs: [[a, b], c], expect: [[a, b, c]] });
    add('SequenceInsert', 11, `${type} -1`, { inputs: [[a, b], c, int(-1)], expect: [[a, c, b]] });
    add('SequenceLength', 11, type, { inputs: [[a, b, c]], expect: [int(3)] });
    add('Identity', 16, `sequence of ${type}`, { inputs: [[a, b]], expect: [[a, b]] });
  }
  const two = [f([2, 1]), f([2, 3])];
  for (const i of [2, -3]) {
    add('SequenceAt', 11, `beyond ${i}`, { inputs: [two, int(i)], error: /2|-3|range/ });
    add('SequenceErase', 11, `beyond ${i}`, { inputs: [two, int(i)], error: /2|-3|range/ });
  }
  add('SequenceInsert', 11, 'beyond', { inputs: [two, f([1]), int(3)], error: /3|range/ });
  add('SequenceInsert', 11, 'another type', { inputs: [two, int(1)], error: /int64|type/ });
  for (const type of typesAt('SequenceConstruct', 11)) {
    const [a, b] = [make(type, [2]), make(type, [1])];
    const joined = Array.isArray(a.data) ? [...a.data, ...b.data] : a.data.constructor.of(...a.data, ...b.data);
    add('ConcatFromSequence', 11, type, {
      inputs: [[a, b]],
      attributes: { axis: 0 },
      expect: [{ type, dims: [3], data: joined }],
    });
  }
  add('ConcatFromSequence', 11, 'new axis', {
    inputs: [[f([2], [1, 2]), f([2], [3, 4])]],
    attributes: { axis: -1, new_axis: 1 },
    expect: [f([2, 2], [1, 3, 2, 4])],
  });
  add('ConcatFromSequence', 11, 'other shapes', { inputs: [two], attributes: { axis: 0 }, error: /shape|dimension/ });
  for (const type of [1, 7, 8])
    add('SequenceEmpty', 11, `type ${type}`, { inputs: [], attributes: { dtype: type }, expect: [[]] });
  const x = f([5, 2], 'index');
  const part = (first, n) =>
    f(
      [n, 2],
      Array.from({ length: 2 * n }, (_, i) => 2 * first + i),
    );
  for (const at of [11, 24]) {
    add('SplitToSequence', at, 'in twos', { inputs: [x, int(2)], expect: [[part(0, 2), part(2, 2), part(4, 1)]] });
    add('SplitToSequence', at, 'by lengths', {
      inputs: [x, ints(1, 0, 4)],
      expect: [[part(0, 1), part(0, 0), part(1, 4)]],
    });
  }
  add('SplitToSequence', 11, 'without keepdims', {
    inputs: [f([2, 2], 'index')],
    attributes: { keepdims: 0 },
    expect: [[f([2], [0, 1]), f([2], [2, 3])]],
  });
  add('SplitToSequence', 11, 'another sum', { inputs: [x, ints(1, 1)], error: /sum|split|5/ });
  for (const type of typesAt('SplitToSequence', 24)) {
    const y = make(type, [2]);
    const one = (i) =>
      make(type, [1], type.startsWith('complex') ? [y.data[2 * i], y.data[2 * i + 1]] : [numbersOf(y)[i]]);
    add('SplitToSequence', 24, type, { inputs: [y], expect: [[one(0), one(1)]] });
  }
}

function optionalRows(add) {
  for (const at of [15, 18]) {
    add('OptionalHasElement', at, 'a tensor', { inputs: [f([2])], expect: [make('bool', [], [1])] });
    add('OptionalGetElement', at, 'a sequence', { inputs: [[f([2], [1, 2])]], expect: [[f([2], [1, 2])]] });
    for (const type of kSequenceTypes) {
      const x = make(type, [3]);
      add('OptionalGetElement', at, type, { inputs: [x], expect: [x] });
    }
  }
  for (const type of typesAt('OptionalGetElement', 28)) {
    if (!(type in kTypes)) continue;
    const x = make(type, [3]);
    add('Optional', 28, type, { inputs: [x], expect: [x] });
    add('OptionalGetElement', 28, type, { inputs: [x], expect: [x] });
    add('OptionalHasElement', 28, type, { inputs: [x], expect: [make('bool', [], [1])] });
  }
  const empty = { optional: tensorType('float32', [2]) };
  add('OptionalHasElement', 18, 'nothing', { inputs: [empty], expect: [make('bool', [], [0])] });
  add('OptionalHasElement', 18, 'no input', { inputs: [], expect: [make('bool', [], [0])] });
  add('OptionalGetElement', 18, 'nothing', { inputs: [empty], error: /empty|no element|nothing|absent/ });
  for (const type of kSequenceTypes) {
    const x = make(type, [3]);
    add('Optional', 15, type, { inputs: [x], expect: [x] });
  }
  add('Optional', 15, 'a sequence', { inputs: [[f([1], [5])]], expect: [[f([1], [5])]] });
  add('Optional', 15, 'nothing', { inputs: [], attributes: { type: tensorType('float32', [2]) }, expect: [null] });
  add('Optional', 15, 'neither', { inputs: [], error: /type/ });
  for (const type of typesAt('Identity', 25))
    add('Identity', 25, `again ${type}`, { inputs: [make(type, [3])], move: [0] });
}

// The graph of a branch or a body; ports are [name, TypeProto].
const graph = (nodes, inputs, outputs, initializer = []) => ({
  name: 'body',
  node: nodes,
  input: inputs.map(([name, type]) => port(name, type)),
  output: outputs.map(([name, type]) => port(name, type)),
  initializer,
});

function controlRows(add) {
  const constant = (name, v) => ({ name, data_type: 1, dims: [2], float_data: v });
  const type = tensorType('float32', [2]);
  const branch = (name, v) => graph([node('Identity', ['c'], [name])], [], [[name, type]], [constant('c', v)]);
  for (const { since } of versionsOf('If')) {
    for (const condition of [0, 1]) {
      const attributes = { then_branch: branch('t', [1, 2]), else_branch: branch('e', [3, 4]) };
      add('If', since, `condition ${condition}`, {
        inputs: [make('bool', [], [condition])],
        attributes,
        expect: [f([2], condition ? [1, 2] : [3, 4])],
      });
    }
  }
  const attributes = { then_branch: branch('t', [1, 2]), else_branch: branch('e', [3, 4]) };
  add('If', 21, 'no bool', { inputs: [f([])], attributes, error: /float32|bool/ });
  add('If', 21, 'a vector', { inputs: [make('bool', [2])], attributes, error: /./ });
  const flag = tensorType('bool', []);
  const body = graph(
    [node('Identity', ['go'], ['on']), node('Add', ['v', 'v'], ['w']), node('Identity', ['w'], ['scan'])],
    [
      ['i', tensorType('int64', [])],
      ['go', flag],
      ['v', type],
    ],
    [
      ['on', flag],
      ['w', type],
      ['scan', type],
    ],
  );
  for (const { since } of versionsOf('Loop')) {
    const at = Math.max(since, 7);
    const inputs = (n, go) => [int(n), make('bool', [], [go]), f([2], [1, -1])];
    for (const [n, go] of [
      [3, 1],
      [0, 1],
      [5, 0],
    ]) {
      const times = go ? n : 0;
      const scan = Array.from({ length: times }, (_, k) => [2 ** (k + 1), -(2 ** (k + 1))]).flat();
      const expect = [f([2], [2 ** times, -(2 ** times)]), f([times, 2], scan)];
      // How long a vector is that no iteration has written, the standard leaves to the type of the body's output.
      add('Loop', at, `${n} times, ${go} (${since})`, {
        inputs: inputs(n, go),
        attributes: { body },
        outputs: 2,
        expect,
      });
    }
  }
  const step = graph(
    [node('Add', ['s', 'x'], ['t']), node('Mul', ['x', 'x'], ['y'])],
    [
      ['s', type],
      ['x', type],
    ],
    [
      ['t', type],
      ['y', type],
    ],
  );
  const x = f([3, 2], [1, 2, 3, 4, 5, 6]);
  for (const { since } of versionsOf('Scan').slice(1)) {
    const scan = (name, more, sum, out) =>
      add('Scan', since, name, {
        inputs: [f([2], [10, 20]), x],
        attributes: { body: step, num_scan_inputs: 1, ...more },
        outputs: 2,
        expect: [f([2], sum), f([3, 2], out)],
      });
    scan('forward', {}, [19, 32], [1, 4, 9, 16, 25, 36]);
    scan('reverse', { scan_input_directions: [1], scan_output_directions: [1] }, [19, 32], [1, 4, 9, 16, 25, 36]);
    scan('reversed output', { scan_output_directions: [1] }, [19, 32], [25, 36, 9, 16, 1, 4]);
  }
  add('Scan', 8, 'at its version', {
    inputs: [null, f([1, 2], [10, 20]), { ...x, dims: [1, 3, 2] }],
    attributes: { body: step, num_scan_inputs: 1 },
    outputs: 2,
    expect: [f([1, 2], [19, 32]), f([1, 3, 2], [1, 4, 9, 16, 25, 36])],
  });
  const each = graph(
    [node('Mul', ['e', 'e'], ['q'])],
    [['e', tensorType('float32', undefined)]],
    [['q', tensorType('float32', undefined)]],
  );
  add('SequenceMap', 17, 'squares', {
    inputs: [[f([2], [1, 2]), f([1], [3])]],
    attributes: { body: each },
    expect: [[f([2], [1, 4]), f([1], [9])]],
  });
  add('SequenceMap', 17, 'nothing', {
    inputs: [{ sequence: tensorType('float32', undefined) }],
    attributes: { body: each },
    expect: [[]],
  });
}

function textRows(add) {
  const s = (...list) => make('string', [list.length], list);
  add('StringConcat', 20, 'both ways', {
    inputs: [make('string', [2, 1], ['a', 'ß']), make('string', [1, 2], ['', 'c'])],
    expect: [make('string', [2, 2], ['a', 'ac', 'ß', 'ßc'])],
  });
  add('StringConcat', 20, 'rank 0', {
    inputs: [make('string', [], ['x']), make('string', [], ['y'])],
    expect: [make('string', [], ['xy'])],
  });
  add('StringConcat', 20, 'nothing', { inputs: [make('string', [0], []), s('y')], expect: [make('string', [0], [])] });
  add('StringConcat', 20, 'numbers', { inputs: [f([1]), f([1])], error: /float32/ });
  add('StringSplit', 20, 'by blanks', {
    inputs: [s(' a  b ', '', 'c')],
    outputs: 2,
    expect: [make('string', [3, 2], ['a', 'b', '', '', 'c', '']), ints(2, 0, 1)],
  });
  add('StringSplit', 20, 'by a text, at most once', {
    inputs: [s('a--b--c', 'd')],
    attributes: { delimiter: '--', maxsplit: 1 },
    outputs: 2,
    expect: [make('string', [2, 2], ['a', 'b--c', 'd', '']), ints(2, 1)],
  });
  add('RegexFullMatch', 20, 'whole', {
    inputs: [s('abc', 'abcd', '')],
    attributes: { pattern: 'a.c' },
    expect: [make('bool', [3], [1, 0, 0])],
  });
  add('RegexFullMatch', 20, 'no expression', { inputs: [s('a')], attributes: { pattern: '(' }, error: /./ });
  add('StringNormalizer', 10, 'lower', {
    inputs: [s('A', 'b', 'The')],
    attributes: { case_change_action: 'LOWER', stopwords: ['the'], is_case_sensitive: 0 },
    expect: [s('a', 'b')],
  });
  add('StringNormalizer', 10, 'all stopped', {
    inputs: [s('x')],
    attributes: { stopwords: ['x'], is_case_sensitive: 1 },
    expect: [s('')],
  });
  add('StringNormalizer', 10, 'rank 2', {
    inputs: [make('string', [1, 2], ['A', 'b'])],
    attributes: { case_change_action: 'UPPER' },
    expect: [make('string', [1, 2], ['A', 'B'])],
  });
  add('StringNormalizer', 10, 'two rows', { inputs: [make('string', [2, 1], ['A', 'b'])], error: /./ });
  const grams = {
    min_gram_length: 1,
    max_gram_length: 2,
    max_skip_count: 0,
    ngram_counts: [0, 2],
    ngram_indexes: [0, 1, 2],
    mode: 'TF',
  };
  for (const type of ['int32', 'int64'])
    add('TfIdfVectorizer', 9, type, {
      inputs: [make(type, [5], [1, 2, 1, 2, 3])],
      attributes: { ...grams, pool_int64s: [1, 2, 1, 2] },
    });
  add('TfIdfVectorizer', 9, 'string', {
    inputs: [s('a', 'b', 'a', 'b')],
    attributes: { ...grams, pool_strings: ['a', 'b', 'a', 'b'] },
  });
}

// onnxruntime computes windows and transforms in float32, with errors of a few millionths; numpy in float64.
const unlike = 'it is not exact enough';

function signalRows(add) {
  for (const op of ['HannWindow', 'HammingWindow', 'BlackmanWindow']) {
    for (const periodic of [0, 1])
      add(op, 17, `periodic ${periodic}`, { unlike, inputs: [int(7)], attributes: { periodic } });
    for (const output_datatype of [10, 11])
      add(op, 17, `type ${output_datatype}`, {
        unlike,
        inputs: [make('int32', [], [8])],
        attributes: { output_datatype },
        ...(output_datatype === 10
          ? { check: ([y]) => (y.type === 'float16' && y.dims[0] === 8 ? '' : 'is no float16[8]') }
          : {}),
      });
    add(op, 17, 'negative', { inputs: [int(-1)], error: /-1|negative/ });
  }
  for (const at of [17, 20]) {
    for (const type of ['float32', 'float64']) {
      const axis = at === 17 ? { attributes: { axis: 1 } } : {};
      const inputs = (more) => [make(type, [1, 6, 1]), ...(at === 20 ? [null, int(1)] : []), ...more];
      add('DFT', at, type, { unlike, inputs: inputs([]), ...axis });
    }
    for (const onesided of [0, 1])
      add('DFT', at, `onesided ${onesided}`, {
        unlike,
        inputs: [f([2, 5, 1]), ...(at === 20 ? [null, int(1)] : [])],
        attributes: { onesided, ...(at === 17 ? { axis: 1 } : {}) },
      });
  }
  add('DFT', 20, 'inverse', { unlike, inputs: [f([1, 4, 2]), null, int(-2)], attributes: { inverse: 1 } });
  for (const type of ['float16', 'bfloat16', 'float64']) {
    add('DFT', 20, `once more ${type}`, { unlike, inputs: [make(type, [1, 4, 1])] });
    add('STFT', 17, type, { unlike, inputs: [make(type, [1, 8, 1]), int(4), make(type, [4], 'positive')] });
  }
  add('DFT', 20, 'a last dimension of 3', { inputs: [f([1, 4, 3])], error: /3/ });
  add('STFT', 17, 'frames', {
    unlike,
    inputs: [f([1, 16, 1]), int(4), f([8], 'positive')],
    attributes: { onesided: 1 },
  });
  add('STFT', 17, 'a step of 0', { inputs: [f([1, 16, 1]), int(0), f([8])], error: /step|0/ });
  add('MelWeightMatrix', 17, 'int32', {
    inputs: [4, 16, 8000].map((v) => make('int32', [], [v])).concat(f([], [100]), f([], [3500])),
  });
  add('MelWeightMatrix', 17, 'small', { inputs: [int(4), int(16), int(8000), f([], [100]), f([], [3500])] });
  for (const type of typesAt('Range', 11)) {
    add('Range', 11, type, { inputs: [make(type, [], [5]), make(type, [], [-2]), make(type, [], [-2])] });
    add('Range', newestOf('Range'), type, { inputs: [make(type, [], [1]), make(type, [], [4]), make(type, [], [1])] });
  }
  for (const type of ['float16', 'bfloat16'])
    add('Range', 27, `half ${type}`, {
      inputs: [make(type, [], [0]), make(type, [], [2]), make(type, [], [0.5])],
      expect: [make(type, [4], [0, 0.5, 1, 1.5])],
    });
  add('Range', 11, 'nothing', { inputs: [int(3), int(3), int(1)] });
  add('Range', 11, 'a step of 0', { inputs: [int(0), int(3), int(0)], error: /0|delta/ });
  const boxes = f([1, 3, 4], [0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 2, 1, 3]);
  for (const since of [10, 11])
    add('NonMaxSuppression', since, 'three boxes', {
      inputs: [boxes, f([1, 1, 3], [0.5, 0.75, 0.25]), int(3), f([], [0.5]), f([], [0])],
    });
  add('NonMaxSuppression', 11, 'none', { inputs: [boxes, f([1, 1, 3])] });
  add('NonMaxSuppression', 11, 'boxes of 3', { inputs: [f([1, 2, 3]), f([1, 1, 2])], error: /4|3/ });
  const cache = (t) => [make(t, [2, 4, 3]), make(t, [2, 2, 3]), ints(1, 2)];
  for (const type of typesAt('TensorScatter', 24)) {
    if (!(type in kTypes)) continue;
    const inputs = cache(type);
    add('TensorScatter', 24, type, { inputs, attributes: { axis: 1 }, move: [0, 1] });
  }
}

function randomRows(add) {
  const shape =
    (type, dims, inside) =>
    ([y]) => {
      if (y.type !== type || String(y.dims) !== String(dims)) return `is ${y.type} [${y.dims}]`;
      return numbersOf(y).every(inside) ? '' : 'has a value out of its range';
    };
  const within = (low, high) => (v) => v >= low && v < high;
  for (const { since } of versionsOf('RandomUniform')) {
    add('RandomUniform', since, 'range', {
      inputs: [],
      attributes: { shape: [50], low: -2, high: 3, seed: 1 },
      check: shape('float32', [50], within(-2, 3)),
    });
    add('RandomNormal', since, 'finite', {
      inputs: [],
      attributes: { shape: [50], mean: 4, scale: 0.5, seed: 1 },
      check: shape('float32', [50], within(-4, 12)),
    });
    add('RandomUniformLike', since, 'range', {
      inputs: [make('float64', [5, 4])],
      attributes: { seed: 2 },
      check: shape('float64', [5, 4], within(0, 1)),
    });
    add('RandomNormalLike', since, 'another type', {
      inputs: [make('int32', [9])],
      attributes: { dtype: 11, seed: 2 },
      check: shape('float64', [9], within(-9, 9)),
    });
  }
  for (const dtype of [10, 11, 16]) {
    const name = Object.keys(kTypes).find((key) => kTypes[key] === dtype);
    add('RandomUniform', 22, name, {
      inputs: [],
      attributes: { shape: [9], dtype, seed: 3 },
      check: shape(name, [9], (v) => v >= 0 && v <= 1),
    });
  }
  add('RandomUniform', 22, 'nothing', {
    inputs: [],
    attributes: { shape: [0, 2] },
    check: shape('float32', [0, 2], () => true),
    random: true,
  });
  for (const type of typesAt('Bernoulli', 22)) {
    add('Bernoulli', 22, type, {
      inputs: [make(type, [4], [0, 1, 0, 1])],
      check: shape(type, [4], (v) => v === 0 || v === 1),
      random: true,
    });
  }
  for (const type of typesAt('Multinomial', 22)) {
    const dtype = { attributes: { dtype: 7, sample_size: 6, seed: 4 } };
    add('Multinomial', 22, type, {
      inputs: [make(type, [2, 3], [0, -60000, -60000, -60000, -60000, 0])],
      ...dtype,
      expect: [make('int64', [2, 6], [0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2])],
    });
  }
  add('Multinomial', 7, 'at its version', {
    inputs: [f([1, 2], [0, -1000])],
    attributes: { sample_size: 3, seed: 4 },
    expect: [make('int32', [1, 3], [0, 0, 0])],
  });
}

function trainingRows(add) {
  const step = () => [f([], [0.5]), int(0)];
  const domain = 'ai.onnx.preview.training';
  for (const type of ['float32', 'float64']) {
    const x = () => make(type, [3]);
    const rest = [make(type, [], [0.5]), int(0)];
    add(`${domain}.Adagrad`, 1, type, {
      inputs: [...rest, x(), x(), make(type, [3], 'positive')],
      attributes: { epsilon: 0.25, norm_coefficient: 0.125 },
      outputs: 2,
    });
    add(`${domain}.Adam`, 1, type, {
      inputs: [...rest, x(), x(), x(), make(type, [3], 'positive')],
      attributes: { alpha: 0.75, beta: 0.5, epsilon: 0.25 },
      outputs: 3,
    });
    for (const mode of ['standard', 'nesterov'])
      add(`${domain}.Momentum`, 1, `${type} ${mode}`, {
        inputs: [make(type, [], [0.5]), int(1), x(), x(), x()],
        attributes: { alpha: 0.5, beta: 0.25, norm_coefficient: 0.125, mode },
        outputs: 2,
      });
  }
  add(`${domain}.Adam`, 1, 'shapes that differ', {
    inputs: [...step(), f([3]), f([2]), f([3]), f([3])],
    attributes: { alpha: 0.5, beta: 0.5 },
    outputs: 3,
    error: /shape/,
  });
}

export function rows(add) {
  castRows(add);
  quantizeRows(add);
  sequenceRows(add);
  optionalRows(add);
  controlRows(add);
  textRows(add);
  signalRows(add);
  randomRows(add);
  trainingRows(add);
}

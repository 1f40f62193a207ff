// The command line against what users get wrong: files that are damaged or none, values that do not fit, sizes that nothing
// holds, places that cannot be written. One line that says why, the exit code of docs/CLI.md, and --json that can be parsed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { after, test } from 'node:test';
import { kMain, sardonyx, workFolder } from './cli_program.mjs';
import {
  externalModel,
  goodModel,
  identityModel,
  makeModel,
  node,
  port,
  sequenceType,
  tensorType,
  twoByTwo,
} from './make_model.mjs';

const work = workFolder();
after(work.remove);
const good = work.put('good.onnx', goodModel());
const two = work.put('two.onnx', twoByTwo());
const whole = work.put('whole.onnx', identityModel(tensorType('int64', ['n'])));
const out = work.path('out.onnx');

/** Runs [args, exit code, message] each, with --json. */
async function refused(cases) {
  // A few at a time: each is a process.
  for (let i = 0; i < cases.length; i += 4) {
    await Promise.all(
      cases.slice(i, i + 4).map(async ([args, code, message]) => {
        const result = await sardonyx([...args, '--json']);
        const said = `${args.join(' ')}: ${result.stderr}`;
        assert.equal(result.code, code, said);
        assert.match(result.stderr.trim().split('\n').at(-1), message, said);
        assert.doesNotMatch(result.stderr, /\n\s+at |this is a bug|E[A-Z]{4,}: /, said);
        const { error } = result.json();
        assert.deepEqual([typeof error.code, typeof error.message], ['string', 'string'], said);
        assert.match(error.message, message);
      }),
    );
  }
}

function npy(descr, shape, data = Buffer.alloc(0), order = 'False') {
  const text = `{'descr': ${descr}, 'fortran_order': ${order}, 'shape': ${shape}, }`.padEnd(117);
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00\x76\x00', 'latin1'), Buffer.from(`${text}\n`), data]);
}

test('models that are none', async () => {
  mkdirSync(work.path('folder.onnx'));
  const files = {
    truncated: goodModel().subarray(0, 80),
    empty: '',
    text: 'this is no model',
    external: externalModel().model,
  };
  for (const [name, content] of Object.entries(files)) work.put(`${name}.onnx`, content);
  const commands = [['run'], ['inspect'], ['stats'], ['check'], ['print'], ['bench']];
  const twoPaths = [
    ['simplify'],
    ['compare'],
    ['extract', '--inputs', 'x', '--outputs', 'y'],
    ['convert', '--opset', '20'],
  ];
  const cases = [];
  for (const [name, message] of [
    ['truncated', /truncated\.onnx: /],
    ['empty', /empty\.onnx: /],
    ['text', /text\.onnx: /],
    ['folder', /folder\.onnx: it is no file/],
    ['absent', /absent\.onnx: there is no such file/],
  ]) {
    const path = work.path(`${name}.onnx`);
    for (const [command, ...more] of commands) cases.push([[command, path, ...more], 3, message]);
    if (name !== 'truncated' && name !== 'folder') continue;
    for (const [command, ...more] of twoPaths) cases.push([[command, path, out, ...more], 3, message]);
  }
  for (const command of ['run', 'inspect', 'stats', 'bench']) {
    cases.push([
      [command, work.path('external.onnx')],
      3,
      /external data is missing: .*weights\.bin: there is no such file/,
    ]);
  }
  cases.push([['simplify', work.path('external.onnx'), out], 3, /weights\.bin: there is no such file/]);
  cases.push([['test', good], 3, /good\.onnx: a part of the path is no folder/], [['run', ''], 2, /path .* is empty/]);
  await refused(cases);
  assert.ok(!existsSync(out));
});

test('inputs that cannot be read, or do not fit', async () => {
  const floats = Buffer.from(new Float32Array(6).buffer);
  const files = {
    'huge.npy': npy("'<f4'", '(9999999999, 9999999999)'),
    'overflow.npy': npy("'<f4'", '(0, 99999999999999999999999)'),
    'negative.npy': npy("'<f4'", '(-2, -3)', floats),
    'letters.npy': npy("'<U1'", '(2, 3)', Buffer.alloc(24, 255)),
    'objects.npy': npy("'|O'", '(2,)'),
    'structured.npy': npy("[('a', '<f4')]", '(2,)', floats),
    'order.npy': npy("'<f4'", '(2, 3)', floats, 'Maybe'),
    'large.npy': npy("'<f8'", '(2, 3)', Buffer.from(new Float64Array(6).fill(1e300).buffer)),
    'empty.npy': '',
    'magic.npy': Buffer.from('\x93NUMPY', 'latin1'),
    'noise.json': Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
    'deep.json': '['.repeat(100000) + ']'.repeat(100000),
    'null.json': 'null',
    'size.json': '{"dims": [1e99], "data": []}',
    'text.json': '{"dims": ["2", 3], "data": [1, 2, 3, 4, 5, 6]}',
    'broken.png': Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(50)]),
  };
  for (const [name, content] of Object.entries(files)) work.put(name, content);
  mkdirSync(work.path('folder.npy'));
  const given = (name, code, message) => [['run', good, '--input', `x=${work.path(name)}`], code, message];
  const inline = (text, message) => [['run', good, '--input', `x=${text}`], 2, message];
  const flags = work.put('flags.onnx', identityModel(tensorType('bool', ['n'])));
  const sequence = work.put('sequence.onnx', identityModel(sequenceType(tensorType('float32', ['n']))));
  await refused([
    given('huge.npy', 2, /huge\.npy: its shape .* takes .* bytes, but 0 are there/),
    given('overflow.npy', 2, /overflow\.npy: dims\[1\] is 1e\+23/),
    given('negative.npy', 2, /negative\.npy: its header has no shape/),
    given('letters.npy', 2, /letters\.npy: Invalid code point/),
    given('objects.npy', 2, /objects\.npy: its type '\|O' is none that a tensor can have/),
    given('structured.npy', 2, /structured\.npy: .*structured arrays are not read/),
    given('order.npy', 2, /order\.npy: its header has no shape/),
    given('large.npy', 2, /large\.npy: element 0 is 1e\+300, which float32 cannot hold/),
    given('empty.npy', 2, /empty\.npy: it is no \.npy file/),
    given('magic.npy', 2, /magic\.npy: it is no \.npy file/),
    given('folder.npy', 3, /cannot read .*folder\.npy: it is a folder/),
    given('noise.json', 2, /noise\.json: it is no JSON/),
    given('deep.json', 2, /deep\.json: (it is nested 100000 deep|it is no JSON)/),
    given('null.json', 2, /null\.json: the value is null/),
    given('size.json', 2, /size\.json: dims\[0\] is 1e\+99/),
    given('text.json', 2, /text\.json: dims\[0\] is "2"/),
    given('broken.png', 2, /broken\.png: it is no \.png file, or damaged/),
    inline('[[1e400,0,0],[0,0,0]]', /element 0 is larger than any number/),
    inline('[[1e39,0,0],[0,0,0]]', /element 0 is 1e\+39, which float32 cannot hold/),
    inline('zero', /it is a \.npy, \.json or \.png file, JSON, or random, zeros or ones/),
    [
      ['run', whole, '--input', 'x=[1e17]'],
      2,
      /element 0 is 100000000000000000: write so large a number with all its digits/,
    ],
    [
      ['run', whole, '--input', 'x=[9223372036854775808]'],
      2,
      /element 0 is 9223372036854775808, which int64 cannot hold/,
    ],
    [['run', whole, '--input', 'x=[09007199254740993]'], 2, /it is no JSON/],
    [['run', whole, '--input', 'x=[""]'], 2, /element 0 is "", not a whole number/],
    [['run', whole, '--input', 'x=["0x10"]'], 2, /element 0 is "0x10", not a whole number/],
    [['run', flags, '--input', 'x=[2]'], 2, /element 0 is 2, neither true nor false/],
    [['run', sequence], 2, /the command line feeds tensors only/],
    [['run', good, '--input', 'X=random'], 2, /no such input \(it has: "x"\)/],
    [['run', good, '--input', '=1'], 2, /it is written --input NAME=/],
    [['run', good, '-i', 'x=ones', '-i', 'x=ones'], 2, /--input x is given twice/],
    [['run', two, '-i', 'a=[[1,2]]', '-i', 'b=[[1,2],[3,4]]'], 2, /dimension 0 \("n"\) is 1 elsewhere/],
  ]);
});

test('sizes that nothing holds are refused before anything is made', async () => {
  const vast = (n) => ['--dim', `n=${n}`];
  const none = /no open dimension|the size must be a whole number/;
  await refused([
    [
      ['run', two, ...vast('2000000000')],
      2,
      /float32\[2000000000, 2\].* larger than the 4 GB that WebAssembly can hold/,
    ],
    [['run', two, ...vast('9007199254740991')], 2, /larger than the 4 GB/],
    // Neither the engine's own bytes nor a piece of more than 2 GB fit.
    [['run', two, ...vast('268435456')], 2, /larger than the 4 GB/],
    [['run', whole, ...vast('300000000')], 2, /int64\[300000000\] one is larger than the 2 GB that a tensor can have/],
    [['stats', two, ...vast('600000000')], 2, /larger than the 4 GB/],
    [['compare', two, two, ...vast('600000000')], 2, /larger than the 4 GB/],
    [['bench', two, ...vast('600000000')], 2, /larger than the 4 GB/],
    [['run', two, ...vast('99999999999999999999')], 2, none],
    [['run', two, ...vast('-1')], 2, none],
    [['run', two, ...vast('1.5')], 2, none],
    [['run', two, ...vast('3'), ...vast('4')], 2, /--dim n is given twice/],
    [['run', two, '--dim', 'a:1=3'], 2, /no open dimension of that name \(they have: "n"\)/],
    [['run', two, '--dim', 'n='], 2, /it is written --dim NAME=SIZE/],
    [['simplify', two, out, ...vast('99999999999999999999')], 2, none],
    [['simplify', two, out, '--shape', 'a=99999999999999999999,2'], 2, none],
    [['simplify', two, out, '--shape', 'a=1,2,3'], 2, /input "a" has 2 dimensions, not 3/],
    [['simplify', two, out, '--shape', 'q=1,2'], 2, /no input "q"/],
    [['print', two, '--dim', 'm=2'], 2, /no input has a dimension "m"/],
  ]);
  assert.ok(!existsSync(out));
});

test('names of values that are none', async () => {
  const part = (inputs, outputs) => ['extract', good, out, '--inputs', inputs, '--outputs', outputs];
  await refused([
    [part('nothing', 'y'), 2, /no value "nothing"/],
    [part('x', 'nothing'), 2, /no value "nothing"/],
    [part('x', ''), 2, /no outputs are named/],
    [part('x', 'y,y'), 2, /"y" is named twice/],
    [part('x,x', 'y'), 2, /"x" is named twice/],
    [part('', 'y'), 2, /need the model's input "x"/],
    [['extract', good, out, '--inputs', 'x'], 2, /--outputs/],
    [['convert', good, out, '--opset', '9999'], 2, /no version 9999/],
    [['convert', good, out, '--opset', '0'], 2, /upwards only/],
    [['convert', good, out, '--opset', 'new'], 2, /whole number/],
    [['compare', good, two], 2, /good\.onnx takes the inputs x; .*two\.onnx takes a, b/],
    [['bench', good, '--vs', 'tensorflow'], 2, /there is only onnxruntime-web/],
    [['bench', good, '--runs', '0'], 2, /whole number from 1/],
  ]);
  assert.ok(!existsSync(out));
});

test('commands that are none', async () => {
  await refused([
    [[], 2, /^(sardonyx: )?a command is missing/],
    [['nonsense'], 2, /unknown command 'nonsense'/],
    [['help', 'nonsense'], 2, /unknown command 'nonsense'/],
    [['run', good, 'more'], 2, /too many arguments/],
    [['run', good, '--jso'], 2, /unknown option '--jso' \(Did you mean --json\?\)/],
  ]);
  const bare = await sardonyx([]);
  assert.deepEqual([bare.code, bare.stdout], [2, '']);
  assert.match(bare.stderr, /Usage: sardonyx[\s\S]*\nsardonyx: a command is missing\n$/);
});

test('inspect shows what the file says of a model that cannot be loaded', async () => {
  const graph = {
    ...{ input: [port('x', tensorType('float32', ['n', 2])), port('s', sequenceType(tensorType('int64', [null])))] },
    ...{ output: [port('y', tensorType('float32', ['n', 2]))] },
    initializer: [{ name: 'w', dims: [2, 2], data_type: 1, float_data: [1, 2, 3, 4] }],
  };
  const more = { producer_name: 'someone', metadata_props: [{ key: 'k', value: 'v' }] };
  const made = (name, ...nodes) => work.put(`${name}.onnx`, makeModel({ ...graph, node: nodes }, more));
  const product = node('MatMul', ['x', 'w'], ['h']);
  const models = [
    [
      made('unknown', product, node('Nonsense', ['h'], ['y'], { name: 'odd' })),
      'unsupported_operator',
      /Nonsense.*odd/,
    ],
    [made('inputs', product, node('Relu', ['h', 'h', 'h'], ['y'], { name: 'odd' })), 'invalid_model', /Relu "odd"/],
    [made('cycle', node('MatMul', ['y', 'w'], ['h']), node('Nonsense', ['h'], ['y'])), 'invalid_model', /cycle|"y"/],
    [work.path('external.onnx'), 'load_failed', /weights\.bin/],
  ];
  for (const [path, code, message] of models) {
    const { code: exit, stderr, json } = await sardonyx(['inspect', path, '--json']);
    assert.deepEqual([exit, json().error.code], [3, code], stderr);
    assert.match(json().error.message, message);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /\n\s+at /);
    if (code === 'load_failed') continue;
    const { parameters, opsets, inputs, outputs, operators, custom, producerName, bytes } = json();
    assert.deepEqual(
      [parameters, opsets, custom, producerName, bytes],
      [4, { 'ai.onnx': 21 }, { k: 'v' }, 'someone', statSync(path).size],
    );
    assert.deepEqual(inputs, [
      { name: 'x', isTensor: true, type: 'float32', shape: ['n', 2] },
      { name: 's', isTensor: false, description: 'sequence of int64 tensor[?]' },
    ]);
    assert.deepEqual(outputs, [{ name: 'y', isTensor: true, type: 'float32', shape: ['n', 2] }]);
    assert.equal(operators.length, 2);
    const text = await sardonyx(['inspect', path]);
    assert.equal(text.code, 3);
    assert.match(text.stdout, /producer: someone\n[\s\S]* {2}x: float32\[n, 2\]\n[\s\S]*MatMul +1/);
    assert.match(text.stderr, /^sardonyx: .*\n$/);
  }
});

test('the file and the session say the same of a model', async () => {
  const inner = (name) => ({
    name,
    node: [
      node('Constant', [], ['c'], { attribute: [{ name: 'value_floats', type: 6, floats: [1, 2] }] }),
      node('Add', ['x', 'c'], [`${name}_y`]),
    ],
    output: [port(`${name}_y`, tensorType('float32', [2]))],
  });
  const branches = ['then_branch', 'else_branch'].map((name) => ({ name, type: 5, g: inner(name) }));
  const graph = (last) => ({
    node: [node('If', ['b'], ['h'], { attribute: branches }), node(last, ['h'], ['y'])],
    input: [port('b', tensorType('bool', [])), port('x', tensorType('float32', [2]))],
    output: [port('y', tensorType('float32', null))],
  });
  const of = async (last) =>
    (await sardonyx(['inspect', work.put('both.onnx', makeModel(graph(last))), '--json'])).json();
  const { error, ...file } = await of('Nonsense');
  const { error: none, ...session } = await of('Relu');
  assert.deepEqual([error.code, none], ['unsupported_operator', undefined]);
  const renamed = JSON.parse(JSON.stringify(file).replaceAll('Nonsense', 'Relu'));
  const sorted = ({ operators, bytes, ...rest }) => ({
    ...rest,
    operators: [...operators].sort((a, b) => (a.opType < b.opType ? -1 : 1)),
  });
  assert.deepEqual(sorted(renamed), sorted(session));
});

test('threads that there are not are said', async () => {
  const { code, stderr } = await sardonyx(['run', good, '--threads', '99']);
  assert.equal(code, 0, stderr);
  // 64, or fewer where a busy machine does not start them in time.
  assert.match(stderr, /--threads 99: there are \d\d? \(.*64 threads: no more, 99 were asked for/);
});

test('text that is none', async () => {
  const text = work.put('words.onnx', identityModel(tensorType('string', ['n'])));
  await refused([
    [['run', text, '-i', 'x=["a", "\\ud800b"]'], 2, /element 1 of the data has half of a surrogate pair/],
  ]);
});

test('places that cannot be written', async () => {
  const file = work.put('a_file', '');
  await refused([
    [['run', good, '--output', file], 3, /cannot write .*a_file: there is a file of that name/],
    [['run', good, '--output', `${file}/x`], 3, /cannot write .*: a part of the path is no folder/],
    [['run', good, '--profile', work.path('no/trace.json')], 3, /cannot write .*trace\.json: there is no such folder/],
    [['run', good, '--profile', good], 2, /would write over a model/],
    [['simplify', good, work.path('no/out.onnx')], 3, /cannot write .*out\.onnx: there is no such folder/],
    [['simplify', good, work.folder], 3, /cannot write .*: it is a folder/],
    [['simplify', good, ''], 3, /cannot write to an empty path/],
  ]);
});

test('a disk that is full, and readers that stop', {
  skip: !existsSync('/dev/full') && 'there is no /dev/full',
}, async () => {
  await refused([[['simplify', good, '/dev/full'], 3, /cannot write \/dev\/full: the disk is full/]]);
  const child = spawn(process.execPath, [kMain, 'inspect', good], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  assert.equal((await once(child, 'close'))[0], 3);
  assert.equal(stderr, 'sardonyx: cannot write the output: the disk is full\n');
});

test('readers that stop in the middle of a long output', async () => {
  const nodes = Array.from({ length: 20000 }, (_, i) => node('Neg', [i ? `v${i}` : 'x'], [`v${i + 1}`]));
  const type = tensorType('float32', [1]);
  const long = work.put(
    'long.onnx',
    makeModel({ node: nodes, input: [port('x', type)], output: [port('v20000', type)] }),
  );
  const child = spawn(process.execPath, [kMain, 'print', long], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  assert.deepEqual([(await once(child, 'close'))[0], stderr], [0, '']);
});

test('zeros and ones, in every type that has them', async () => {
  const one = { bool: 1, int64: 1, uint8: 1, float16: 1, bfloat16: 1, float64: 1, int32: 1 };
  for (const type of Object.keys(one)) {
    const model = work.put(`${type}.onnx`, identityModel(tensorType(type, ['n', 2])));
    for (const [word, value] of [
      ['zeros', 0],
      ['ones', 1],
    ]) {
      const { inputs, outputs } = (await sardonyx(['run', model, '-i', `x=${word}`, '--dim', 'n=2', '--json'])).json();
      assert.deepEqual([inputs[0].source, outputs[0].first], [word, [value, value, value, value]], `${type} ${word}`);
    }
  }
  const text = work.put('string.onnx', identityModel(tensorType('string', ['n'])));
  await refused([[['run', text, '-i', 'x=zeros'], 2, /values of string are given in a file/]]);
});

test('outputs whose names are alike as files are all written', async () => {
  const type = tensorType('float32', [1]);
  const names = ['a/b', 'a_b', 'a_b_1', 'A_B', `n${'x'.repeat(400)}`];
  const model = work.put(
    'names.onnx',
    makeModel({
      node: names.map((name) => node('Neg', ['x'], [name])),
      input: [port('x', type)],
      output: names.map((name) => port(name, type)),
    }),
  );
  const { code, stderr, json } = await sardonyx(['run', model, '--output', work.path('names'), '--json']);
  assert.equal(code, 0, stderr);
  const files = json().outputs.map(({ file }) => file);
  assert.equal(new Set(files.map((file) => file.toLowerCase())).size, names.length);
  for (const file of files) assert.ok(readFileSync(file).length > 0);
});

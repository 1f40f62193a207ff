// The command line: run, inspect, stats and bench, what they print, and what they say of wrong usage.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { kMain, sardonyx, workFolder } from './cli_program.mjs';
import { goodModel, identityModel, makeModel, node, port, tensorType, twoByTwo } from './make_model.mjs';

const work = workFolder();
after(work.remove);
const good = work.put('good.onnx', goodModel());
const two = work.put('two.onnx', twoByTwo());

test('run with values from JSON, in both forms', async () => {
  const x = work.put('x.json', '[[1, 1, 1], [1, 1, 1]]');
  const first = (await sardonyx(['run', good, '--input', `x=${x}`, '--json'])).json();
  assert.deepEqual(first.inputs, [{ name: 'x', type: 'float32', dims: [2, 3], source: x }]);
  assert.equal(first.session.variant.startsWith('simd') || first.session.variant.startsWith('relaxed'), true);
  assert.equal(first.runMs.length, 1);
  const values = [2, 3, 4, 0, 0, 0];
  assert.deepEqual(first.outputs, [
    { name: 'y', type: 'float32', dims: [2, 3], min: 0, max: 4, mean: 1.5, nan: 0, first: values },
  ]);
  const inline = (await sardonyx(['run', good, '-i', 'x=[[0,0,0],[0,0,9]]', '--json'])).json();
  assert.deepEqual(inline.outputs[0].first, [1, 2, 3, 0, 0, 3]);
  const identity = work.put('identity.onnx', identityModel(tensorType('float32', ['n'])));
  const odd = work.put('odd.json', '["NaN", 1, "-Infinity", 2]');
  const third = (await sardonyx(['run', identity, '-i', `x=${odd}`, '--json'])).json();
  const { min, max, mean, nan, first: shown } = third.outputs[0];
  assert.deepEqual([min, max, mean, nan, shown], ['-Infinity', 2, '-Infinity', 1, ['NaN', 1, '-Infinity', 2]]);
  const flat = work.put('flat.json', JSON.stringify({ dims: [2, 3], data: [0, 0, 0, 0, 0, 0] }));
  const second = (await sardonyx(['run', good, '-i', `x=${flat}`, '--json'])).json();
  assert.deepEqual(second.outputs[0].first, [1, 2, 3, 0, 0, 0]);
});

test('missing inputs are random: the same for the same seed, open dimensions as they are told', async () => {
  const run = async (...args) => sardonyx(['run', two, '--json', ...args]);
  const told = await run('--dim', 'n=3');
  assert.deepEqual(told.json().outputs[0].dims, [3, 2]);
  assert.equal(told.stderr, '');
  assert.deepEqual((await run('--dim', 'n=3')).json().outputs, told.json().outputs);
  assert.notDeepEqual((await run('--dim', 'n=3', '--seed', '1')).json().outputs, told.json().outputs);
  const assumed = await run();
  assert.deepEqual(assumed.json().assumed, ['n']);
  assert.deepEqual(assumed.json().outputs[0].dims, [1, 2]);
  assert.match(assumed.stderr, /taken as 1 \(choose with --dim n=SIZE\)/);
  const a = work.put('a.json', '[[1, 2], [3, 4]]');
  assert.deepEqual((await run('--input', `a=${a}`)).json().inputs[1].dims, [2, 2]);
});

test('run --output writes .npy files that run --input reads; --profile writes a trace', async () => {
  const x = work.put('ones.json', '[[1, 1, 1], [1, 1, 1]]');
  const trace = work.path('trace.json');
  const args = ['run', good, '--input', `x=${x}`, '--output', work.path('out'), '--profile', trace, '--repeat', '3'];
  const { code, stdout } = await sardonyx(args);
  assert.equal(code, 0);
  assert.match(stdout, /median of 3/);
  assert.match(stdout, /y: float32\[2, 3\] {2}-> .*y\.npy\n {4}min 0 {2}max 4 {2}mean 1\.5\n {4}2, 3, 4, 0, 0, 0\n/);
  const { traceEvents } = JSON.parse(readFileSync(trace, 'utf8'));
  assert.ok(traceEvents.length > 0 && traceEvents.every(({ name }) => stdout.includes(`\n  ${name} `)));
  const again = await sardonyx(['run', good, '--input', `x=${work.path('out/y.npy')}`, '--json']);
  assert.deepEqual(again.json().outputs[0].first, [3, 5, 7, 0, 0, 0]);
});

test('a picture becomes what the input takes', async () => {
  // A line of two pixels: (255, 0, 51) and (0, 102, 255).
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP4z2DMkPYfAAiYAphUCtDPAAAAAElFTkSuQmCC',
    'base64',
  );
  const file = work.put('two.png', png);
  const values = async (type, dims, ...more) => {
    const model = work.put('picture.onnx', identityModel(tensorType(type, dims)));
    const { first } = (await sardonyx(['run', model, '--input', `x=${file}`, '--json', ...more])).json().outputs[0];
    return first.map((value) => Number(value.toFixed(3)));
  };
  assert.deepEqual(await values('float32', [1, 3, 'h', 'w']), [1, 0, 0, 0.4, 0.2, 1]);
  assert.deepEqual(await values('uint8', ['n', 'h', 'w', 3]), [255, 0, 51, 0, 102, 255]);
  assert.deepEqual(await values('float32', [3, 1, 2], '--mean', '0.5,0,1', '--std', '0.5'), [1, -1, 0, 0.8, -1.6, 0]);
  const model = work.put('large.onnx', identityModel(tensorType('float32', [1, 3, 8, 8])));
  const { code, stderr } = await sardonyx(['run', model, '--input', `x=${file}`]);
  assert.equal(code, 2);
  assert.match(stderr, /input "x": .*two\.png has the shape float32\[1, 3, 1, 2\]; dimension 2 must be 8/);
});

test('inspect and stats', async () => {
  const inspected = (await sardonyx(['inspect', two, '--json'])).json();
  assert.deepEqual(inspected.opsets, { 'ai.onnx': 21 });
  assert.deepEqual(inspected.inputs[0], { name: 'a', isTensor: true, type: 'float32', shape: ['n', 2] });
  assert.deepEqual(
    inspected.operators,
    ['Add', 'Sub'].map((opType) => ({ opType, nodes: 1 })),
  );
  const text = (await sardonyx(['inspect', good])).stdout;
  assert.match(text, /parameters: 6\n/);
  assert.match(text, /\n {2}x: float32\[2, 3\]\n/);
  const square = tensorType('float32', ['n', 4]);
  const weight = { name: 'w', dims: [4, 5], data_type: 1, float_data: new Array(20).fill(1) };
  const product = makeModel({
    ...{ node: [node('MatMul', ['x', 'w'], ['y'])], initializer: [weight] },
    ...{ input: [port('x', square)], output: [port('y', tensorType('float32', ['n', 5]))] },
  });
  const stats = (await sardonyx(['stats', work.put('product.onnx', product), '--dim', 'n=3', '--json'])).json();
  assert.equal(stats.macs, 3 * 4 * 5);
  assert.equal(stats.parameters, 20);
  assert.deepEqual(Object.keys(stats.memory).sort(), ['arena', 'heap', 'packed', 'scratch', 'weights']);
});

test('bench: alone, in turn with onnxruntime-web, and without it', async () => {
  const alone = (await sardonyx(['bench', good, '--runs', '3', '--json'])).json();
  assert.equal(alone.results.length, 1);
  const { median, lower, upper, min, max } = alone.results[0].ms;
  assert.ok(min <= lower && lower <= median && median <= upper && upper <= max);
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const both = await sardonyx(['bench', good, '--runs', '3', '--vs', 'onnxruntime-web', '--json'], { cwd });
  assert.equal(both.code, 0, both.stderr);
  assert.deepEqual(
    both.json().results.map(({ runtime }) => runtime),
    ['sardonyx', 'onnxruntime-web'],
  );
  assert.ok(both.json().timesFaster.median > 0);
  const without = await sardonyx(['bench', good, '--vs', 'onnxruntime-web'], { cwd: work.folder });
  assert.equal(without.code, 3);
  assert.match(without.stderr, /not installed .*npm install onnxruntime-web/);
});

test('every kind of wrong usage has one line and its exit code', async () => {
  const bad = work.put('bad.onnx', 'this is no model');
  const x = work.put('x2.json', '[[1, 2], [3]]');
  const words = work.put('words.json', '{"a": 1');
  const cases = [
    [['run', work.path('none.onnx')], 3, /none\.onnx: there is no such file$/],
    [['run', bad], 3, /bad\.onnx/],
    [['run', good, '--input', 'q=random'], 2, /no such input \(it has: "x"\)/],
    [['run', good, '--input', 'x'], 2, /it is written --input NAME=FILE/],
    [['run', good, '--input', 'x=[[1,2'], 2, /input "x": .*it is no JSON/],
    [['run', good, '--input', `x=${bad}`], 2, /\.npy, \.json or \.png/],
    [['run', good, '--input', 'x=none.npy'], 3, /input "x": cannot read none\.npy: there is no such file/],
    [['run', good, '--input', `x=${x}`], 2, /\[1\] is a list of 1; the first at its depth is a list of 2/],
    [['run', good, '--input', `x=${words}`], 2, /it is no JSON/],
    [['run', two, '--dim', 'm=2'], 2, /no open dimension of that name \(they have: "n"\)/],
    [['run', two, '--dim', 'n=x'], 2, /size must be a whole number/],
    [['run', good, '--repeat', '0'], 2, /whole number from 1/],
    [['run', good, '--output', `${good}/x`], 3, /cannot write/],
    [['run'], 2, /missing required argument/],
    [['runn', good], 2, /unknown command/],
    [['run', good, '--nonsense'], 2, /unknown option/],
  ];
  await Promise.all(
    cases.map(async ([args, code, message]) => {
      const result = await sardonyx([...args, '--json']);
      assert.equal(result.code, code, args.join(' '));
      assert.match(result.stderr.trim().split('\n').at(-1), message, args.join(' '));
      assert.doesNotMatch(result.stderr, /\n {4}at /);
      assert.deepEqual(Object.keys(result.json().error), ['code', 'message']);
    }),
  );
});

test('a run that fails names the node, and the inputs that were made up', async () => {
  const model = makeModel({
    node: [node('Reshape', ['x', 'shape'], ['y'], { name: 'reshaper' })],
    input: [port('x', tensorType('float32', [7])), port('shape', tensorType('int64', [1]))],
    output: [port('y', tensorType('float32', ['n']))],
  });
  const path = work.put('reshape.onnx', model);
  const failed = await sardonyx(['run', path, '--input', 'shape=[3]']);
  assert.equal(failed.code, 4, failed.stderr);
  assert.match(failed.stderr, /^random, which may be the reason: "x".*\nsardonyx: .*"reshaper"/);
  const { code, stdout } = await sardonyx(['run', path, '--input', 'shape=[-1]', '--json']);
  assert.deepEqual([code, JSON.parse(stdout).outputs[0].dims], [0, [7]]);
});

test('--help has examples, --version the version', async () => {
  const { code, stdout } = await sardonyx(['run', '--help']);
  assert.equal(code, 0);
  assert.match(stdout, /Examples:\n {2}# [^\n]+\n {2}\$ sardonyx inspect /);
  // A model with a state: from zeros, then from what the call before wrote.
  assert.match(stdout, /-i state=zeros --output out\n.*-i state=out\/stateN\.npy --output out\n/);
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.equal((await sardonyx(['--version'])).stdout.trim(), manifest.version);
  assert.ok(existsSync(new URL(`../../${manifest.bin.sardonyx}`, import.meta.url)));
});

test('a reader that stops reading is no error', async () => {
  const child = spawn(process.execPath, [kMain, 'run', '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const [code] = await once(child, 'close');
  assert.deepEqual([code, stderr], [0, '']);
});

test('Ctrl-C ends a long run at once and quietly', async () => {
  const { code, signal, stderr } = await sardonyx(['run', two, '--repeat', '1000000000'], { kill: /--dim/ });
  assert.deepEqual([code, signal], [null, 'SIGINT']);
  assert.doesNotMatch(stderr, /Error|\n {4}at /);
});

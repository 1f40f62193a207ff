// The command line: compare and test, and .npy files as numpy writes them.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { OptionalProto, SequenceProto, TensorProto } from '../conformance/schema.mjs';
import { sardonyx, workFolder } from './cli_program.mjs';
import {
  goodModel,
  identityModel,
  kTypes,
  makeModel,
  node,
  optionalType,
  port,
  sequenceType,
  tensorType,
} from './make_model.mjs';

const work = workFolder();
after(work.remove);
const fixtures = JSON.parse(readFileSync(new URL('data/npy_fixtures.json', import.meta.url), 'utf8'));
const fixture = (name) => Buffer.from(fixtures[name], 'base64');

// Feeds a fixture of numpy to y = x, and writes y.
async function throughIdentity(name, type, dims, first) {
  const model = work.put(`${name}.onnx`, identityModel(tensorType(type, dims)));
  const file = work.put(`${name}.npy`, fixture(name));
  const args = ['run', model, '--input', `x=${file}`, '--output', work.path(name), '--json'];
  const { code, stderr, stdout } = await sardonyx(args);
  assert.equal(code, 0, `${name}: ${stderr}`);
  assert.deepEqual(JSON.parse(stdout).outputs[0].first, first, name);
  return readFileSync(work.path(`${name}/y.npy`));
}

test('.npy files of every type go through, byte for byte', async () => {
  const simple = Object.keys(fixtures).filter((name) => name in kTypes);
  assert.equal(simple.length, 14);
  for (const name of simple) {
    const complex = name.startsWith('complex');
    const values = name === 'bool' ? [1, 0, 1, 0, 1, 1] : complex ? [1, 0, 2, 0, 3, 0, 4, 0] : [1, 2, 3, 4, 5, 6];
    assert.deepEqual(await throughIdentity(name, name, [2, 3], values), fixture(name), name);
  }
  assert.deepEqual(await throughIdentity('str', 'string', [2, 2], ['ab', 'c', '', '\u4e2d\u6587']), fixture('str'));
  assert.deepEqual(await throughIdentity('scalar', 'float32', [], [7]), fixture('scalar'));
  assert.deepEqual(await throughIdentity('empty', 'float32', [0, 3], []), fixture('empty'));
});

test('.npy files in other orders, and of other types where no value is lost', async () => {
  assert.deepEqual(await throughIdentity('big', 'float32', [2, 3], [1, 2, 3, 4, 5, 6]), fixture('float32'));
  await throughIdentity('fortran', 'int32', [2, 3, 4], [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await throughIdentity('float64', 'float32', [2, 3], [1, 2, 3, 4, 5, 6]), fixture('float32'));
  assert.deepEqual(await throughIdentity('int64', 'uint8', [2, 3], [1, 2, 3, 4, 5, 6]), fixture('uint8'));
  assert.deepEqual(await throughIdentity('float32', 'float16', [2, 3], [1, 2, 3, 4, 5, 6]), fixture('float16'));
});

test('64-bit integers in JSON keep all their digits', async () => {
  for (const [type, values] of [
    ['int64', ['9007199254740993', '-9223372036854775808', '9223372036854775807', '"-9007199254740993"', '10']],
    ['uint64', ['18446744073709551615', '9007199254740993', '0']],
  ]) {
    const model = work.put(`${type}.onnx`, identityModel(tensorType(type, [1, values.length])));
    const exact = values.map((text) => BigInt(text.replaceAll('"', '')));
    const list = `[[${values.join(', ')}]]`;
    const flat = `{"dims": [1, ${values.length}], "data": [\n${values.join(',\n')}\n]}`;
    for (const given of [list, list.replaceAll(' ', ''), flat, work.put('long.json', list)]) {
      const { code, stderr } = await sardonyx(['run', model, '--input', `x=${given}`, '--output', work.path('long')]);
      assert.equal(code, 0, stderr);
      const bytes = readFileSync(work.path('long/y.npy'));
      const numbers = exact.map((_, i) => {
        const at = bytes.length - 8 * (exact.length - i);
        return type === 'int64' ? bytes.readBigInt64LE(at) : bytes.readBigUInt64LE(at);
      });
      assert.deepEqual(numbers, exact, given);
    }
  }
});

test('.npy files that are broken, or do not fit, are refused by name', async () => {
  const model = work.put('f.onnx', identityModel(tensorType('int32', [2, 3])));
  const refused = async (bytes, message) => {
    const file = work.put('refused.npy', bytes);
    const { code, stderr } = await sardonyx(['run', model, '--input', `x=${file}`]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
    assert.match(stderr, /^sardonyx: input "x": .*refused\.npy/);
  };
  await refused(fixture('int32').subarray(0, 140), /takes 24 bytes, but 12 are there/);
  await refused(fixture('int32').subarray(0, 60), /ends in its header/);
  await refused(Buffer.from('nonsense, but long enough'), /no \.npy file/);
  await refused(fixture('float32'), /it has float32 values, but int32 is wanted/);
  await refused(fixture('fortran'), /has the shape int32\[2, 3, 4\]; the model takes int32\[2, 3\]/);
});

test('compare: the same, or where they differ', async () => {
  const a = work.put('a.onnx', goodModel());
  const same = await sardonyx(['compare', a, a, '--json']);
  assert.equal(same.code, 0, same.stderr);
  assert.deepEqual(same.json().outputs, [{ name: 'y', same: true, maxAbs: 0, maxRel: 0, problem: null }]);
  const scaled = (by) =>
    makeModel({
      node: [node('Mul', ['x', 's'], ['y'])],
      initializer: [{ name: 's', dims: [], data_type: 1, float_data: [by] }],
      input: [port('x', tensorType('float32', [2]))],
      output: [port('y', tensorType('float32', [2]))],
    });
  const [one, three] = [1, 3].map((by) => work.put(`by${by}.onnx`, scaled(by)));
  const x = work.put('x.json', '[0, 2]');
  const differ = await sardonyx(['compare', three, one, '--input', `x=${x}`, '--json']);
  assert.equal(differ.code, 1);
  const [y] = differ.json().outputs;
  assert.deepEqual(y.first, { index: [1], actual: 6, expected: 2 });
  assert.deepEqual([y.maxAbs, y.maxRel, y.problem], [4, 2, '[1] is 6, not 2']);
  assert.equal((await sardonyx(['compare', three, one, '--input', `x=${x}`, '--rtol', '2'])).code, 0);
  const other = work.put('other.onnx', identityModel(tensorType('float32', [2])));
  const text = await sardonyx(['compare', three, other, '--input', `x=${x}`]);
  assert.match(text.stdout, /\[1\] is 6, not 2\ndifferent, within/);
  const wrong = await sardonyx(['compare', one, work.put('two.onnx', makeModel({}))]);
  assert.equal(wrong.code, 2, wrong.stderr);
});

const f32 = (...values) => ({ data_type: 1, dims: [values.length], float_data: values });
const raw = (...values) => ({
  data_type: 1,
  dims: [values.length],
  raw_data: Buffer.from(Float32Array.from(values).buffer),
});

// A folder as ONNX's tests have them; `sets` are lists of [inputs, outputs], as bytes.
function testFolder(name, model, sets) {
  mkdirSync(work.path(name));
  work.put(`${name}/model.onnx`, model);
  for (const [n, [inputs, outputs]] of sets.entries()) {
    const folder = `${name}/test_data_set_${n}`;
    mkdirSync(work.path(folder));
    for (const [k, bytes] of inputs.entries()) work.put(`${folder}/input_${k}.pb`, bytes);
    for (const [k, bytes] of outputs.entries()) work.put(`${folder}/output_${k}.pb`, bytes);
  }
  return work.path(name);
}
const encoded = (type, message) => type.encode(type.fromObject(message)).finish();
const tensor = (message) => encoded(TensorProto, message);

test('test: data sets pass or fail with the reason', async () => {
  const type = tensorType('float32', [2]);
  const folder = testFolder('sets', identityModel(type), [
    [[tensor(f32(1, 2))], [tensor(raw(1, 2))]],
    [[tensor(f32(1, 2))], [tensor(raw(1, 3))]],
    [[tensor(f32(1, 2, 3))], [tensor(f32(1, 2, 3))]],
    [[], [tensor(f32(1))]],
    [[Buffer.from('\x08\x02\x10')], [tensor(f32(1))]],
  ]);
  const { code, stdout } = await sardonyx(['test', folder, '--json']);
  assert.equal(code, 1);
  const { passed, failed, results } = JSON.parse(stdout);
  assert.deepEqual([passed, failed], [1, 4]);
  const problems = results.map(({ problem }) => problem);
  assert.equal(problems[0], null);
  assert.equal(problems[1], 'output "y" [1] is 2, not 3');
  assert.match(problems[2], /"x"/);
  assert.match(problems[3], /input_0\.pb: there is no such file/);
  assert.match(problems[4], /input_0\.pb: /);
  assert.equal((await sardonyx(['test', folder, '--atol', '9'])).stdout.match(/^PASS/gm).length, 2);
});

test('test: sequences, optionals, strings, 64-bit integers; a folder of folders', async () => {
  const set = (value) => [[value], [value]];
  const element = tensorType('float32', [2]);
  const list = { elem_type: 1, tensor_values: [f32(1, 2), raw(3, 4)] };
  const long = { data_type: 7, dims: [2], int64_data: ['9007199254740993', '-1'] };
  const text = { data_type: 8, dims: [2], string_data: [Buffer.from('a'), Buffer.from('\u4e2d')] };
  mkdirSync(work.path('all'));
  const make = (name, type, ...values) => testFolder(`all/${name}`, identityModel(type), values.map(set));
  make('sequence', sequenceType(element), encoded(SequenceProto, list));
  const optional = { elem_type: 1, tensor_value: f32(1, 2) };
  make('optional', optionalType(element), encoded(OptionalProto, optional), encoded(OptionalProto, { elem_type: 1 }));
  make('int64', tensorType('int64', [2]), tensor(long));
  make('string', tensorType('string', [2]), tensor(text));
  const { code, stdout } = await sardonyx(['test', work.path('all')]);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /5 passed, 0 failed\n$/);
  const none = await sardonyx(['test', work.path('nowhere')]);
  assert.equal(none.code, 3);
  assert.match(none.stderr, /cannot read .*nowhere: there is no such file/);
});

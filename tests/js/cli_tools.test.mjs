// The command line: check, simplify, print, extract and convert.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, test } from 'node:test';
import { sardonyx, workFolder } from './cli_program.mjs';
import { makeModel, node, port, tensorType } from './make_model.mjs';

const work = workFolder();
after(work.remove);
const x = tensorType('float32', ['n', 4]);
const graphOf = (nodes) => ({ node: nodes, input: [port('x', x)], output: [port('y', x)] });
const chain = work.put(
  'chain.onnx',
  makeModel(graphOf([node('Identity', ['x'], ['i']), node('Relu', ['i'], ['r']), node('Neg', ['r'], ['y'])])),
);
const broken = work.put('broken.onnx', makeModel(graphOf([node('Rellu', ['x'], ['y'])])));

test('check: exit code 1 and the place of each fault', async () => {
  const good = await sardonyx(['check', chain]);
  assert.deepEqual([good.code, good.stdout], [0, 'the model is valid\n']);
  const bad = await sardonyx(['check', broken]);
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /^error: graph\.node\[0\] "Rellu_node"\n {2}there is no operator Rellu in ai\.onnx/);
  const report = (await sardonyx(['check', broken, '--json'])).json();
  assert.deepEqual([report.valid, report.findings[0].code], [false, 'unknown_operator']);
});

test('simplify writes a model that compare finds the same', async () => {
  const simple = work.path('simple.onnx');
  const { code, json } = await sardonyx(['simplify', chain, simple, '--json', '--dim', 'n=3']);
  assert.equal(code, 0);
  assert.deepEqual(json().nodes, { before: 3, after: 2 });
  assert.deepEqual(json().bytes, { before: statSync(chain).size, after: statSync(simple).size });
  assert.equal((await sardonyx(['compare', chain, simple, '--dim', 'n=3'])).code, 0);
  assert.match((await sardonyx(['print', simple])).stdout, /\(float\[3,4\] x\) => \(float\[3,4\] y\)/);
});

test('nodes are counted in one way, or it is said how', async () => {
  const constant = {
    ...node('Constant', [], ['one']),
    attribute: [{ name: 'value_float', type: 1, f: 1 }],
  };
  const path = work.put('constant.onnx', makeModel(graphOf([constant, node('Add', ['x', 'one'], ['y'])])));
  assert.match((await sardonyx(['inspect', path])).stdout, /^operators: 1, nodes: 1, without Constant$/m);
  const { stdout } = await sardonyx(['simplify', path, work.path('less.onnx')]);
  assert.match(stdout, /^nodes: 2 -> 1 \(Constant: 1 -> 0\); file: /m);
});

test('print, extract and convert', async () => {
  const text = (await sardonyx(['print', chain, '--infer'])).stdout;
  assert.match(text, /<float\[n,4\] i, float\[n,4\] r>/);
  const part = work.path('part.onnx');
  assert.equal((await sardonyx(['extract', chain, part, '--inputs', 'i', '--outputs', 'r'])).code, 0);
  assert.match((await sardonyx(['print', part])).stdout, /\(float\[n,4\] i\) => \(float\[n,4\] r\)/);
  const newer = work.path('newer.onnx');
  assert.equal((await sardonyx(['convert', chain, newer, '--opset', '23'])).code, 0);
  assert.match((await sardonyx(['print', newer])).stdout, /opset_import: \["" : 23\]/);
});

test('what cannot be done is one line, with its exit code', async () => {
  const cases = [
    [['check', 'nothing.onnx'], 3],
    [['simplify', chain, 'no/such/folder/a.onnx'], 3],
    [['simplify', chain, 'a.onnx', '--shape', 'x=2'], 2],
    [['simplify', chain, 'a.onnx', '--skip', 'all'], 2],
    [['extract', chain, 'a.onnx', '--inputs', 'x', '--outputs', 'nothing'], 2],
    [['extract', chain, 'a.onnx'], 2],
    [['convert', chain, 'a.onnx', '--opset', '7'], 2],
  ];
  for (const [args, code] of cases) {
    const result = await sardonyx(args);
    assert.equal(result.code, code, args.join(' '));
    assert.match(result.stderr, /^sardonyx: [^\n]+\n$/);
  }
});

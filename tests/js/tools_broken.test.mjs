// Models with one fault each: check names the fault, its node, attribute or value, and its place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenModel, kFaults, sound } from './broken_models.mjs';
import { makeModel } from './make_model.mjs';

const { check } = await import('../../dist/tools.js');

test('the sound model is valid', async () => {
  assert.deepEqual(await check(makeModel(sound())), { valid: true, findings: [], leftOut: 0 });
});

for (const [name, [, wanted]] of Object.entries(kFaults)) {
  test(name, async () => {
    const { valid, findings } = await check(brokenModel(name));
    assert.equal(valid, false);
    const fits = (finding) =>
      Object.entries(wanted).every(([key, value]) => (key === 'node' ? finding.node?.name : finding[key]) === value);
    assert.ok(findings.some(fits), JSON.stringify(findings, null, 1));
    // One fault, few words; a wrong opset or order is one of every node.
    const most = /opset|order/.test(name) ? 9 : 4;
    assert.ok(findings.length <= most, JSON.stringify(findings, null, 1));
  });
}

test('several faults are all named at once', async () => {
  const graph = sound();
  graph.node[1].op_type = 'Rellu';
  graph.node[5].attribute = [];
  graph.initializer[1].float_data.pop();
  graph.node.at(-1).input.push('g');
  const { findings } = await check(makeModel(graph));
  const codes = new Set(findings.map(({ code }) => code));
  for (const code of ['unknown_operator', 'missing_attribute', 'bad_tensor', 'input_count']) assert.ok(codes.has(code));
});

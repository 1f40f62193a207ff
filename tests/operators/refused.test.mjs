// What no version of the standard allows is refused, with an OnnxError that names the operator: element types, counts of
// inputs, attributes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf } from './check.mjs';
import { schemaAt, splitName, typesEver, versionsOf } from './schemas.mjs';
import { readTable } from './table.mjs';
import { make } from './values.mjs';

const kStrange = ['string', 'complex64', 'float8e4m3fn', 'bool', 'uint16'];
// Operators with an optional input before the last mandatory one.
const kOptionalFirst = new Set([
  'Loop',
  'Scan',
  'com.microsoft.DynamicQuantizeLSTM',
  ...['Add', 'Mul', 'Sigmoid', 'LeakyRelu', 'AveragePool', 'Softmax'].map((name) => `com.microsoft.QLinear${name}`),
]);
// Operators that move bytes or read a type only: newer versions of the standard allow types that were not there yet.
const kMoving = new Set(
  (
    'Split Slice Gather GatherElements GatherND Tile Expand DepthToSpace SpaceToDepth Compress ReverseSequence Trilu ' +
    'CenterCropPad SplitToSequence RandomNormalLike'
  ).split(' '),
);
const kManyInputs = 100; // what a schema means by any number
const rows = (await readTable()).filter((row) => !row.error);
const seeds = new Map(); // operator -> a row that has an answer
for (const row of rows)
  if (!seeds.has(row.op) && row.inputs[0]?.dims && !row.inputs[0].dims.includes(0)) seeds.set(row.op, row);

async function mustRefuse(row, what) {
  const message = await errorOf(row, 'fed').catch((error) => `not an OnnxError: ${error.name} ${error.message}`);
  const names = message.includes(splitName(row.op)[1]) && !message.startsWith('not an');
  return names ? '' : `${row.op}-${row.at} with ${what}: ${message || 'is not refused'}`;
}

async function problemsOf(row) {
  const allowed = typesEver(row.op);
  const type = kStrange.find((t) => !allowed.has(t));
  const problems = [];
  if (type && allowed.size > 0 && !kMoving.has(row.op)) {
    const strange = make(type, row.inputs[0].dims);
    problems.push(await mustRefuse({ ...row, inputs: [strange, ...row.inputs.slice(1)] }, `a ${type}`));
  }
  const { least, most } = schemaAt(row.op, row.at);
  if (least > 0) problems.push(await mustRefuse({ ...row, inputs: row.inputs.slice(0, least - 1) }, 'too few inputs'));
  for (let i = 0; i < least && i < row.inputs.length && !kOptionalFirst.has(row.op); i++) {
    const inputs = row.inputs.map((v, n) => (n === i ? null : v));
    problems.push(await mustRefuse({ ...row, inputs }, `input ${i} left out`));
  }
  if (most !== null && most < kManyInputs) {
    const many = [...row.inputs, ...Array(most + 1 - row.inputs.length).fill(row.inputs[0])];
    problems.push(await mustRefuse({ ...row, inputs: many }, 'too many inputs'));
    many[most] = make('float32', [], [1]);
    problems.push(await mustRefuse({ ...row, inputs: many }, 'a number too many'));
  }
  const attributes = { ...row.attributes, no_such_attribute: 1 };
  problems.push(await mustRefuse({ ...row, attributes }, 'an unknown attribute'));
  return problems.filter(Boolean);
}

test('every operator refuses what the standard does not know', async () => {
  const problems = [];
  for (const row of seeds.values()) problems.push(...(await problemsOf(row)));
  assert.equal(problems.join('\n'), '');
  assert.ok(seeds.size > 150, `${seeds.size} operators`);
});

test('an operator at an opset before its first version is unknown', async () => {
  const problems = [];
  for (const row of seeds.values()) {
    const { since } = versionsOf(row.op)[0];
    if (since < 9 || since > row.at) continue;
    problems.push(await mustRefuse({ ...row, at: since - 1, attributes: {} }, `opset ${since - 1}`));
  }
  assert.equal(problems.filter(Boolean).join('\n'), '');
});

// What the table holds: every operator at every version of the registry, in every element type of its newest form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { implementedOperators } from '../../scripts/operators.mjs';
import { kTypes } from '../js/make_model.mjs';
import { newestOf, schemaAt, typesAt, versionsOf } from './schemas.mjs';
import { readTable } from './table.mjs';

// Operators and types that have no row, with the reason.
const kWithout = {
  Constant: 'the loader makes a weight of it: tests/cpp/loader_test.cpp, and the suite',
  ImageDecoder: 'its formats have tests of their own: tests/browser/images.test.mjs and the suite',
  'ai.onnx.preview.training.Gradient': 'written out from derivatives of operators: tests/cpp/gradient_test.cpp',
};
const kWithoutTypes = {
  Col2Im: { string: 'the standard lists texts, which have no sum' },
  Cast: { float8e8m0: 'has no 0: tests/cpp/cast_test.cpp', int2: 'has no 2: tests/cpp/cast_test.cpp' },
  CastLike: { float8e8m0: 'has no 0: tests/cpp/cast_test.cpp' },
  Scan: { any: 'hands on what its body makes: tests/cpp/control_test.cpp' },
  DequantizeLinear: { int2: 'tests/cpp/quantize_test.cpp', uint2: 'tests/cpp/quantize_test.cpp' },
  Unique: { complex64: 'has no order', complex128: 'has no order' },
  QLinearMatMul: { any: 'float8 products: the suite compares them, and onnxruntime has none' },
  'com.microsoft.GatherBlockQuantized': Object.fromEntries(
    ['float8e4m3fn', 'float8e4m3fnuz', 'float8e5m2', 'float8e5m2fnuz', 'float4e2m1'].map((type) => [
      type,
      'is refused: the reference knows integers only',
    ]),
  ),
  RandomNormalLike: { any: 'takes only the shape and the name of the type' },
  RandomUniformLike: { any: 'takes only the shape and the name of the type' },
};

const kWithoutVersions = { 'Attention-25': 'two windows more than version 24: tests/cpp/attention_test.cpp' };

const rows = (await readTable()).filter((row) => !row.error);
const operators = implementedOperators();
const rowsOf = (op) => rows.filter((row) => row.op === op);

test('every operator at every version', () => {
  const missing = [];
  for (const [op, versions] of operators) {
    if (op in kWithout) continue;
    for (const [i, version] of versions.entries()) {
      const first = Math.max(version, versionsOf(op)?.[0].since ?? version);
      const end = versions[i + 1] ?? Infinity;
      if (schemaAt(op, first).gone || kWithoutVersions[`${op}-${version}`]) continue; // gone: an entry that says so
      if (!rowsOf(op).some(({ at }) => at >= first && at < end)) missing.push(`${op}-${version}`);
    }
  }
  assert.equal(missing.join('\n'), '');
});

// The types of an input in the rows, at whatever version.
const typesIn = (op, input) => new Set(rowsOf(op).map(({ inputs }) => inputs[input]?.type));

test('every element type of the first input', () => {
  const missing = [];
  for (const op of operators.keys()) {
    if (op in kWithout) continue;
    const at = newestOf(op);
    const { since, types } = schemaAt(op, at) ?? { types: [] };
    if (types.length === 0) continue;
    const seen = typesIn(op, 0);
    const reasons = kWithoutTypes[op] ?? {};
    for (const type of typesAt(op, at, 0) ?? []) {
      if (type in kTypes && !seen.has(type) && !(type in reasons || 'any' in reasons))
        missing.push(`${op}-${since}: ${type}`);
    }
  }
  assert.equal(missing.join('\n'), '');
});

test('no reason is left over', () => {
  for (const op of Object.keys(kWithout)) assert.equal(rowsOf(op).length, 0, `${op} has rows`);
});

// Runs rows through the built package, each in several ways, and says what is wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, OnnxError, Tensor } from '../models/package.mjs';
import { modelOf, outputNames } from './model.mjs';
import { readReferences } from './reference.mjs';
import { splitName } from './schemas.mjs';
import { digestOf, isReferenced, movedBy, readTable } from './table.mjs';
import { isFloat, numbersOf, tensor } from './values.mjs';

// Relative and absolute error: two roundings of the 16-bit types; some more for what sums and elementary functions gather.
const kTolerances = {
  float64: { rtol: 1e-10, atol: 1e-12 },
  float32: { rtol: 1e-5, atol: 1e-6 },
  float16: { rtol: 2 ** -10, atol: 2 ** -20 },
  bfloat16: { rtol: 2 ** -7, atol: 2 ** -20 },
  complex64: { rtol: 1e-5, atol: 1e-6 },
  complex128: { rtol: 1e-10, atol: 1e-12 },
};

const near = (a, b, { rtol, atol }) =>
  Number.isFinite(b) ? Math.abs(a - b) <= atol + rtol * Math.abs(b) : Object.is(a, b);

function differenceOf(actual, expected) {
  if (expected === null || actual === null) return expected === actual ? '' : `is ${actual}, not ${expected}`;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return 'is a sequence of another length';
    return expected.map((v, i) => differenceOf(actual[i], v)).find(Boolean) ?? '';
  }
  // What was computed in float32, in the place of another floating-point type.
  const wide = expected.type === 'float32' && isFloat(actual.type);
  if (actual.type !== expected.type && !wide) return `is ${actual.type}, not ${expected.type}`;
  if (String(actual.dims) !== String(expected.dims)) return `has the shape [${actual.dims}], not [${expected.dims}]`;
  const a = numbersOf(actual);
  const b = numbersOf(wide ? tensor(actual.type, expected.dims, numbersOf(expected)) : expected);
  if (a.length !== b.length) return `has ${a.length} values, not ${b.length}`;
  const tolerance = kTolerances[wide && actual.type === 'float64' ? 'float32' : actual.type];
  const i = b.findIndex((v, n) => (tolerance ? !near(a[n], v, tolerance) : !Object.is(a[n], v) && a[n] !== v));
  return i < 0 ? '' : `[${i}] is ${a[i]}, not ${b[i]}`;
}

// All NaN are one: WebAssembly leaves their bits open, and they change when an engine compiles a function anew.
function sameBits(a, b) {
  if (!a || !b) return a === b;
  if (Array.isArray(a)) return a.length === b.length && a.every((v, i) => sameBits(v, b[i]));
  if (a instanceof Map) return a.size === b.size;
  if (a.type !== b.type || String(a.dims) !== String(b.dims)) return false;
  const bytes = (v) =>
    v.type === 'string' ? v.data : new Uint8Array(v.data.buffer, v.data.byteOffset, v.data.byteLength);
  const [x, y] = isFloat(a.type) ? [numbersOf(a), numbersOf(b)] : [bytes(a), bytes(b)];
  return x.length === y.length && x.every((v, i) => Object.is(v, y[i]));
}

export function toApi(v) {
  if (v === null || v.optional) return null;
  if (v.sequence) return [];
  if (v instanceof Map) return new Map([...v].map(([key, value]) => [key, toApi(value)]));
  return Array.isArray(v) ? v.map(toApi) : new Tensor(v.type, v.data, v.dims);
}

// The feeds of rows under the names of modelOf.
function feedsOf(rows, names) {
  const feeds = rows.flatMap(([prefix, row]) => row.inputs.map((v, i) => [`${prefix}i${i}`, v]));
  const known = new Set(names);
  return Object.fromEntries(feeds.filter(([name, v]) => v && known.has(name)).map(([name, v]) => [name, toApi(v)]));
}

/** What a model gives that has a node for each row (see modelOf). */
export async function runRows(rows, how = 'fed', level = 'all') {
  const session = await InferenceSession.create(modelOf(rows, how), { graphOptimizationLevel: level });
  try {
    const named = Array.isArray(rows) ? rows.map((row, n) => [`r${n}_`, row]) : [['', rows]];
    return await session.run(feedsOf(named, session.inputNames));
  } finally {
    await session.release();
  }
}

/** The message of the OnnxError that a row ends in; '' where it has an answer; anything else is thrown on. */
export async function errorOf(row, how) {
  try {
    await runRows(row, how);
    return '';
  } catch (error) {
    if (error instanceof OnnxError && error.message) return error.message;
    throw error;
  }
}

async function refusal(row) {
  const message = await errorOf(row, 'fed').catch((error) => `(${error.name}) ${error.message}`);
  if (!message) return 'is not refused';
  if (!row.error.test(message)) return `the error is "${message}"`;
  return message.includes(splitName(row.op)[1]) ? '' : `the error does not name the operator: "${message}"`;
}

function problemOf(row, prefix, results, expected) {
  const names = outputNames(row, prefix);
  if (row.check)
    return row.check(
      names.map((name) => results[name]),
      row.inputs,
    );
  for (const [i, name] of names.entries()) {
    const problem = name && differenceOf(results[name], expected[i]);
    if (problem) return `output ${i} ${problem}`;
  }
  return '';
}

// The same bits as before, and inputs that are left as they were.
function changeOf(row, prefix, others, results) {
  for (const name of outputNames(row, prefix)) {
    if (name && !sameBits(others[name], results[name])) return `output ${name} has other bits`;
  }
  for (const [i, v] of row.inputs.entries()) {
    const copy = others[`${prefix}copy${i}`];
    if (copy && !sameBits(copy, v)) return `input ${i} was written over`;
  }
  return '';
}

// With inputs that are constants, that may be written over, and that must be kept.
const kWays = [
  ['constant', 'all'],
  ['copied', 'disabled'],
  ['kept', 'disabled'],
];

// The expected values, or what is missing.
function expectedOf(row, references) {
  if (!isReferenced(row)) return [row.expect, ''];
  const reference = references.get(row.id);
  if (!reference) return [undefined, 'has no reference: make_references.mjs makes it'];
  if (reference.digest === digestOf(row)) {
    const outputs = reference.outputs();
    return [row.move ? outputs.map((v) => movedBy(row, v)) : outputs, ''];
  }
  return [undefined, 'has changed: make_references.mjs makes its reference anew'];
}

// What is wrong with rows of one opset, run together; throws where one of them cannot run.
async function problemsOf(rows, references) {
  const results = await runRows(rows);
  const problems = rows.map((row, n) => {
    const [expected, missing] = expectedOf(row, references);
    return missing || problemOf(row, `r${n}_`, results, expected);
  });
  for (const [how, level] of kWays) {
    const others = await runRows(rows, how, level);
    for (const [n, row] of rows.entries()) {
      const change = row.random ? '' : changeOf(row, `r${n}_`, others, results);
      problems[n] ||= change && `inputs ${how}: ${change}`;
    }
  }
  return problems;
}

// The same; rows that cannot run together run in halves, until the one that cannot is alone.
async function problemsApart(rows, references) {
  try {
    return await problemsOf(rows, references);
  } catch (error) {
    if (rows.length === 1) return [`${error.name}: ${error.message}`];
    const half = rows.length >> 1;
    const first = await problemsApart(rows.slice(0, half), references);
    return [...first, ...(await problemsApart(rows.slice(half), references))];
  }
}

/** Row -> what is wrong with it, '' where nothing is. */
export async function checkRows(rows, references) {
  const problems = new Map();
  const groups = new Map();
  for (const row of rows) {
    if (row.error) problems.set(row, await refusal(row));
    else groupOf(groups, `${splitName(row.op)[0]} ${row.at}`).push(row);
  }
  for (const group of groups.values()) {
    for (const [n, problem] of (await problemsApart(group, references)).entries()) problems.set(group[n], problem);
  }
  return problems;
}

function groupOf(groups, key) {
  if (!groups.has(key)) groups.set(key, []);
  return groups.get(key);
}

/** A test for each operator of a file of the table. */
export async function testFile(file) {
  const rows = await readTable([file]);
  const problems = await checkRows(rows, readReferences(file));
  const operators = new Map();
  for (const row of rows) groupOf(operators, row.op).push(row);
  for (const [op, mine] of operators) {
    test(op, () => {
      const wrong = mine.filter((row) => problems.get(row)).map((row) => `${row.id}: ${problems.get(row)}`);
      assert.equal(wrong.join('\n'), '');
    });
  }
}

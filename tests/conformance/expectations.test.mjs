// The ratchet: every difference between results and the list of known failures is seen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { surprises } from './expectations.mjs';

test('new failures, listed cases that pass, and listed cases that are gone', () => {
  const results = [
    { id: 'node/a', problem: '' },
    { id: 'node/b', problem: 'output y' },
    { id: 'node/c', problem: '' },
    { id: 'node/d', problem: 'output y' },
  ];
  const expected = new Map([
    ['node/b', 'operator missing: B'],
    ['node/c', 'operator missing: C'],
    ['node/e', 'operator missing: E'],
  ]);
  assert.deepEqual(surprises(results, expected), [
    'node/c passes, but is listed ("operator missing: C"): take it off',
    'node/d fails: output y',
    'node/e is listed, but not in the suite',
  ]);
  const agreeing = new Map([
    ['node/b', 'x'],
    ['node/d', 'x'],
  ]);
  assert.deepEqual(surprises(results, agreeing), []);
});

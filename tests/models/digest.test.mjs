// The digests themselves: an output passes its own digest, and every kind of wrong output is seen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWithDigest, digestOf, distance } from './digest.mjs';
import { makeValues } from './feeds.mjs';

const tensor = () => ({ type: 'float32', dims: [3, 1000], data: makeValues('u11', 3000) });

test('an output agrees with its own digest, after JSON too', () => {
  const digest = JSON.parse(JSON.stringify(digestOf(tensor())));
  const { distance: far, problem } = compareWithDigest(tensor(), digest);
  assert.equal(problem, '');
  assert.ok(far < 1e-6, `${far}`);
});

test('wrong type, shape, values and NaN are problems', () => {
  const digest = digestOf(tensor());
  const problemOf = (change) => {
    const t = tensor();
    change(t);
    return compareWithDigest(t, digest).problem;
  };
  assert.match(
    problemOf((t) => (t.type = 'float16')),
    /is float16, not float32/,
  );
  assert.match(
    problemOf((t) => (t.dims = [1000, 3])),
    /has the shape \[1000,3\]/,
  );
  assert.match(
    problemOf((t) => (t.data = t.data.subarray(1))),
    /has 2999 values/,
  );
  assert.match(
    problemOf((t) => (t.data[1234] = Number.NaN)),
    /has NaN at 1234/,
  );
  assert.match(
    problemOf((t) => (t.data[0] += 3e-4)),
    /away, allowed 1\.00e-4/,
  );
  // No sample, and inside the range: only the mean of its block shows it.
  assert.match(
    problemOf((t) => (t.data[1] = -t.data[1])),
    /away, allowed/,
  );
});

test("onnxruntime-web's own distance widens the tolerance to twice of it, never narrows it", () => {
  const off = tensor();
  off.data[0] += 3e-4;
  assert.equal(compareWithDigest(off, { ...digestOf(tensor()), webDistance: 2e-4 }).problem, '');
  assert.notEqual(compareWithDigest(off, { ...digestOf(tensor()), webDistance: 1e-4 }).problem, '');
  off.data[0] = tensor().data[0] + 5e-5;
  assert.equal(compareWithDigest(off, { ...digestOf(tensor()), webDistance: 1e-9 }).problem, '');
});

test('the distance is the largest difference by the largest magnitude, NaN is infinitely far', () => {
  assert.equal(distance({ data: [1, 2.5] }, { data: [1, 2] }), 0.25);
  assert.equal(distance({ data: [1, Number.NaN, 2] }, { data: [1, 1, 2] }), Infinity);
  assert.equal(distance({ data: [0] }, { data: [0] }), 0);
  assert.equal(distance({ data: [0] }, { data: [0, 1] }), Infinity);
});

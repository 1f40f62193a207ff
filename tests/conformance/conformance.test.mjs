// The ONNX backend suite on the built package: what fails must be exactly what expectations.json lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchSuite } from '../../scripts/fetch-suite.mjs';
import { readExpectations, surprises } from './expectations.mjs';
import { runCases } from './runner.mjs';
import { kGroups, listCases } from './suite.mjs';

const { folder, version } = fetchSuite({ log: (line) => console.error(line) });

test(`ONNX suite ${version}`, async (t) => {
  const expected = readExpectations(version);
  const results = await runCases(folder, listCases(folder));
  assert.ok(results.length > 1000, 'the suite is all there');
  for (const group of kGroups) {
    await t.test(group, () => {
      const inGroup = (id) => id.startsWith(`${group}/`);
      const mine = results.filter((r) => inGroup(r.id));
      t.diagnostic(`${group}: ${mine.filter((r) => !r.problem).length} of ${mine.length} pass`);
      const found = surprises(mine, new Map([...expected].filter(([id]) => inGroup(id))));
      assert.equal(found.join('\n'), '');
      if (group === 'light')
        assert.deepEqual(
          mine.map((r) => r.problem),
          Array(9).fill(''),
        );
    });
  }
});

// Real models in the studio: each is loaded, its graph has all its nodes, it is run with the inputs that have a reference,
// and what the page gives to be saved is onnxruntime-node's answer. SARDONYX_TEST_ALL=1 adds more models and all cases.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fetchZoo, zooNames } from '../../scripts/fetch-zoo.mjs';
import { ModelProto } from '../conformance/schema.mjs';
import { compareWithDigest } from '../models/digest.mjs';
import { feedsOf, kZoo } from '../models/feeds.mjs';
import { choose, file, fill, outputsOf, Plain, readyToRun, run, studioOfTests } from './studio_page.mjs';

const all = process.env.SARDONYX_TEST_ALL === '1';
const kQuick = ['ch_PP-OCRv4_rec_infer.onnx', 'silero_vad_v5.onnx', 'mlsd_320x320_tiny.onnx'];
const names = Object.keys(kZoo).filter((name) => all || kQuick.includes(name));
const site = studioOfTests();
let zoo;

before(async () => {
  zoo = fetchZoo({ names: zooNames({ heavy: all }), log: (line) => console.error(line) });
});

/** Of a graph and the graphs in its nodes, without the constants, which the list of nodes leaves out. */
function countNodes({ node: whole }) {
  const nodes = whole.filter(({ op_type: type }) => type !== 'Constant');
  const within = nodes.flatMap(({ attribute }) => attribute.flatMap(({ g, graphs }) => [...(g ? [g] : []), ...graphs]));
  return within.reduce((sum, graph) => sum + countNodes(graph), nodes.length);
}

for (const name of names) {
  test(name, async (t) => {
    const reference = JSON.parse(
      readFileSync(new URL(`../models/reference/${name.replace('.onnx', '')}.json`, import.meta.url), 'utf8'),
    );
    const bytes = readFileSync(join(zoo, name));
    const page = await site.open();
    await choose(page, file(name, bytes));
    await page.waitForFunction(() => document.querySelector('.graph-canvas canvas')?.dataset.scale);
    const shown = Number((await page.textContent('.found')).replace(/\D/g, ''));
    assert.equal(shown, countNodes(ModelProto.decode(bytes).graph));
    await readyToRun(page);
    // With what it is filled with of itself: no answer that is known, but one.
    await run(page);
    for (const zooCase of all ? kZoo[name] : kZoo[name].slice(0, 1)) {
      await fill(page, feedsOf(zooCase, Plain));
      await run(page);
      const outputs = await outputsOf(page);
      const digests = reference.cases[zooCase.name];
      assert.deepEqual(Object.keys(outputs).sort(), Object.keys(digests).sort());
      for (const [output, digest] of Object.entries(digests)) {
        const { problem, distance } = compareWithDigest(outputs[output], digest);
        assert.equal(problem, '', `${zooCase.name}, ${output}`);
        t.diagnostic(`${zooCase.name}, ${output}: ${distance.toExponential(1)}`);
      }
    }
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

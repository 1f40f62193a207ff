// Threads change the time of a run and nothing else: every model of the zoo and every light network of the suite gives
// the same bits on 1, 2 and 4 threads.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fetchSuite } from '../../scripts/fetch-suite.mjs';
import { fetchZoo, zooNames } from '../../scripts/fetch-zoo.mjs';
import { feedsOf, kZoo, makeValues } from './feeds.mjs';
import { env, InferenceSession, Tensor } from './package.mjs';

const heavy = process.env.SARDONYX_TEST_ALL === '1';
const zoo = fetchZoo({ names: zooNames({ heavy }), log: (line) => console.error(line) });
const light = join(fetchSuite().folder, 'light');
const lightModels = existsSync(light) ? readdirSync(light).filter((name) => name.endsWith('.onnx')) : [];

after(() => {
  env.wasm.numThreads = undefined;
});

async function outputsOn(threads, path, feedsFor) {
  env.wasm.numThreads = threads;
  const session = await InferenceSession.create(path);
  assert.equal(session.info.threads, threads, session.info.why);
  const results = [];
  for (const feeds of feedsFor(session)) results.push(await session.run(feeds));
  await session.release();
  return results;
}

const bytesOf = ({ data }) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

async function sameOnAll(path, feedsFor) {
  const one = await outputsOn(1, path, feedsFor);
  for (const threads of [2, 4]) {
    const many = await outputsOn(threads, path, feedsFor);
    for (const [i, outputs] of one.entries()) {
      for (const [name, tensor] of Object.entries(outputs)) {
        const same = Buffer.compare(bytesOf(tensor), bytesOf(many[i][name])) === 0;
        assert.ok(same, `run ${i}, output ${name}: ${threads} threads give other bits than one`);
      }
    }
  }
}

for (const [file, cases] of Object.entries(kZoo)) {
  const skip = cases[0].heavy && !heavy && 'heavy: SARDONYX_TEST_ALL=1 runs it';
  test(file, { skip }, () => sameOnAll(join(zoo, file), () => cases.map((zooCase) => feedsOf(zooCase, Tensor))));
}

for (const file of lightModels) {
  // The large ones take seconds per run on a busy machine.
  const skip = /vgg|zfnet|alexnet/.test(file) && !heavy && 'heavy: SARDONYX_TEST_ALL=1 runs it';
  test(file, { skip }, () =>
    sameOnAll(join(light, file), (session) => [
      Object.fromEntries(
        session.inputMetadata.map(({ name, shape }, i) => {
          const count = shape.reduce((a, b) => a * b, 1);
          return [name, new Tensor('float32', makeValues('u01', count, i + 1), shape)];
        }),
      ),
    ]),
  );
}

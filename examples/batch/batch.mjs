// A folder of images through all cores, a session in each thread; one line of JSON per image:
//   node batch.mjs MODEL.onnx FOLDER [--size HEIGHTxWIDTH] [--threads N] [--compare]
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Presets, SingleBar } from 'cli-progress';
import { Piscina } from 'piscina';

const kImages = new Set(['.avif', '.gif', '.jpeg', '.jpg', '.png', '.tiff', '.webp']);

const { values: options, positionals } = parseArgs({
  options: {
    size: { type: 'string', default: '224x224' },
    threads: { type: 'string', default: String(availableParallelism()) },
    compare: { type: 'boolean', default: false }, // with one session
  },
  allowPositionals: true,
});
const [model, folder] = positionals;
const [height, width] = options.size.split('x').map(Number);
const threads = Number(options.threads);
if (!folder || !(height > 0 && width > 0) || !(threads > 0)) {
  console.error('usage: node batch.mjs MODEL.onnx FOLDER [--size HEIGHTxWIDTH] [--threads N] [--compare]');
  process.exit(2);
}

const names = (await readdir(folder)).filter((name) => kImages.has(extname(name).toLowerCase())).sort();
const paths = names.map((name) => join(folder, name));

/** All images through `count` threads, each with a session: the results, and images per second. */
async function through(count) {
  const pool = new Piscina({
    filename: new URL('./worker.mjs', import.meta.url).href,
    workerData: { model, height, width },
    minThreads: count,
    maxThreads: count,
    concurrentTasksPerWorker: 2, // the next image is decoded while the model runs
  });
  const bar = new SingleBar(
    { stream: process.stderr, clearOnComplete: true, noTTYOutput: false },
    Presets.shades_classic,
  );
  bar.start(paths.length, 0);
  const start = performance.now();
  const results = await Promise.all(
    paths.map(async (path) => {
      const result = await pool.run(path).catch((error) => ({ error: error.message }));
      bar.increment();
      return result;
    }),
  );
  bar.stop();
  const speed = (1000 * paths.length) / (performance.now() - start);
  await pool.close();
  return { results, speed };
}

const { results, speed } = await through(threads);
for (const [i, result] of results.entries()) console.log(JSON.stringify({ name: names[i], ...result }));
console.error(`${names.length} images, ${threads} threads: ${speed.toFixed(1)} images/s`);
if (options.compare) {
  const one = await through(1);
  const same = JSON.stringify(one.results) === JSON.stringify(results);
  const ratio = (speed / one.speed).toFixed(2);
  console.error(`one session: ${one.speed.toFixed(1)} images/s; ${threads} threads: ${ratio} times as many`);
  console.error(same ? 'the results are the same' : 'the results differ');
  if (!same) process.exitCode = 1;
}

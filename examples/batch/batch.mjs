// A folder of images through all cores, a session in each thread; one line of JSON per image:
//   node batch.mjs MODEL.onnx FOLDER [--size HEIGHTxWIDTH] [--threads N]
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
  },
  allowPositionals: true,
});
const [model, folder] = positionals;
const [height, width] = options.size.split('x').map(Number);
const threads = Number(options.threads);
if (!folder || !(height > 0 && width > 0) || !(threads > 0)) {
  console.error('usage: node batch.mjs MODEL.onnx FOLDER [--size HEIGHTxWIDTH] [--threads N]');
  process.exit(2);
}

const names = (await readdir(folder)).filter((name) => kImages.has(extname(name).toLowerCase())).sort();
const pool = new Piscina({
  filename: new URL('./worker.mjs', import.meta.url).href,
  workerData: { model, height, width },
  minThreads: threads,
  maxThreads: threads,
  concurrentTasksPerWorker: 2, // the next image is decoded while the model runs
});
const bar = new SingleBar(
  { stream: process.stderr, clearOnComplete: true, noTTYOutput: false },
  Presets.shades_classic,
);
bar.start(names.length, 0);
const start = performance.now();
const results = await Promise.all(
  names.map(async (name) => {
    const result = await pool.run(join(folder, name)).catch((error) => ({ error: error.message }));
    bar.increment();
    return { name, ...result };
  }),
);
bar.stop();
const seconds = (performance.now() - start) / 1000;
await pool.close();
for (const result of results) console.log(JSON.stringify(result));
console.error(`${names.length} images, ${threads} threads: ${(names.length / seconds).toFixed(1)} images/s`);

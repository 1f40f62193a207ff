// npm start: sets up, builds, and reads a drawn text with a real model.
import { join } from 'node:path';
import { build } from './build.mjs';
import { fetchZoo } from './fetch-zoo.mjs';
import { root } from './lib/paths.mjs';
import { main, say, seconds, step } from './lib/step.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  const start = performance.now();
  // The one that every engine runs; the others would make the first start three times as long.
  await build(await setup(), ['simd']);
  const names = ['ch_PP-OCRv4_rec_infer.onnx', 'ppocr_keys_v1.txt'];
  const folder = fetchZoo({ names, log: (line) => say(`- ${line}`) });
  say(`- reading a drawn HELLO WASM 257 with PP-OCRv4 (everything was ready after ${seconds(start)})`);
  await step(
    'examples/ocr.mjs',
    process.execPath,
    [join(root, 'examples/ocr.mjs'), ...names.map((name) => join(folder, name))],
    { live: true },
  );
  say('The demo page, for models of your own:  npm run demo');
});

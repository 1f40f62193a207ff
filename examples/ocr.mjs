// Reads a drawn line of text with PP-OCRv4: node examples/ocr.mjs MODEL.onnx DICTIONARY.txt [TEXT]
import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'sardonyx';
import { readText } from './ctc.mjs';
import { recImage } from './text_image.mjs';

const [modelPath, dictionaryPath, text = 'HELLO WASM 257'] = process.argv.slice(2);
const dictionary = await readFile(dictionaryPath, 'utf8');
const WIDTH = 320;

let start = performance.now();
const session = await InferenceSession.create(modelPath);
const created = performance.now() - start;

const image = new Tensor('float32', recImage(WIDTH, text), [1, 3, 48, WIDTH]);
const feeds = { [session.inputNames[0]]: image };
start = performance.now();
const outputs = await session.run(feeds);
const first = performance.now() - start;

const REPEATS = 5;
const times = [];
for (let i = 0; i < REPEATS; i++) {
  start = performance.now();
  await session.run(feeds);
  times.push(performance.now() - start);
}
const best = Math.min(...times);

const ms = (value) => `${value.toFixed(1)} ms`;
console.log(`text      ${readText(outputs[session.outputNames[0]], dictionary)}`);
console.log(`variant   ${session.info.variant}`);
console.log(`session   ${ms(created)}`);
console.log(`run       ${ms(first)} the first, ${ms(best)} the best of ${REPEATS} more`);
await session.release();

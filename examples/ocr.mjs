// Reads a drawn line of text with PP-OCRv4: node examples/ocr.mjs MODEL.onnx DICTIONARY.txt [TEXT]
import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'sardonyx';
import { alphabet, decode } from './ctc.mjs';
import { readerInput } from './text_image.mjs';

const [modelPath, dictionaryPath, text = 'HELLO WASM 257'] = process.argv.slice(2);
const letters = alphabet(await readFile(dictionaryPath, 'utf8'));

let start = performance.now();
const session = await InferenceSession.create(modelPath);
const created = performance.now() - start;

const { values, dims } = readerInput(text);
const feeds = { [session.inputNames[0]]: new Tensor('float32', values, dims) };
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

const scores = outputs[session.outputNames[0]];
if (scores.dims.at(-1) !== letters.length) {
  throw new Error(`the model has ${scores.dims.at(-1)} classes, the dictionary ${letters.length}`);
}
const ms = (value) => `${value.toFixed(1)} ms`;
console.log(`text      ${decode(scores.data, letters)}`);
console.log(`variant   ${session.info.variant}`);
console.log(`session   ${ms(created)}`);
console.log(`run       ${ms(first)} the first, ${ms(best)} the best of ${REPEATS} more`);
await session.release();

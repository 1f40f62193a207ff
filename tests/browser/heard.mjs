// What onnxruntime-web hears in a sound: silero's probability of speech in each 32 ms, its state carried over.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ort from 'onnxruntime-web';
import { fetchZoo } from '../../scripts/fetch-zoo.mjs';

const [kRate, kChunk, kContext] = [16000, 512, 64];

/** @returns {Promise<number[]>} of whole chunks of the sound (float32, 16 kHz) */
export async function voiceOf(sound) {
  const zoo = fetchZoo({ names: ['silero_vad_v5.onnx'] });
  ort.env.logLevel = 'error';
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(readFileSync(join(zoo, 'silero_vad_v5.onnx')));
  const padded = new Float32Array(kContext + sound.length);
  padded.set(sound, kContext);
  let state = new ort.Tensor('float32', new Float32Array(256), [2, 1, 128]);
  const heard = [];
  for (let i = 0; i < sound.length / kChunk; ++i) {
    const window = padded.slice(i * kChunk, (i + 1) * kChunk + kContext);
    const input = new ort.Tensor('float32', window, [1, window.length]);
    const sr = new ort.Tensor('int64', BigInt64Array.of(BigInt(kRate)), []);
    const outputs = await session.run({ input, state, sr });
    heard.push(outputs.output.data[0]);
    state = outputs.stateN;
  }
  await session.release();
  return heard;
}

// Chains of calls over the zoo's models: silero_vad with its state fed back, and openWakeWord's three models in a row.
import { makeValues } from './feeds.mjs';

/** The silero chains: file, sampling rate, new samples per call and the samples before them that each call sees again. */
export const kSileroChains = [
  { name: 'v5-16k', file: 'silero_vad_v5.onnx', rate: 16000, chunk: 512, context: 64 },
  { name: 'v5-8k', file: 'silero_vad_v5.onnx', rate: 8000, chunk: 256, context: 32 },
  { name: 'op15-16k', file: 'silero_vad_16k_op15.onnx', rate: 16000, chunk: 512, context: 64 },
];
const kCalls = 20;

/**
 * 20 calls on one stream of audio, each with the state of the call before: the outputs of every call, in order.
 * `run` takes a file and its feeds {name: Tensor}, and gives the outputs {name: Tensor}.
 */
export async function sileroChain({ file, rate, chunk, context }, run, Tensor) {
  const audio = makeValues('audio', context + kCalls * chunk);
  let state = new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128]);
  const calls = [];
  for (let i = 0; i < kCalls; i++) {
    const window = audio.slice(i * chunk, (i + 1) * chunk + context);
    const input = new Tensor('float32', window, [1, window.length]);
    const outputs = await run(file, { input, state, sr: new Tensor('int64', BigInt64Array.of(BigInt(rate)), []) });
    calls.push(outputs);
    state = outputs.stateN;
  }
  return calls;
}

const kMelBins = 32;
const kWindow = 76; // mel frames that one embedding sees
const kStep = 8;
const kEmbeddings = 16; // what the keyword model looks at: its input is [1, 16, 96]

const only = (outputs) => Object.values(outputs)[0];

/**
 * openWakeWord on 2 s of audio: spectrogram (197 frames of 32, then x / 10 + 2), 16 overlapping windows as one batch
 * through the embedding model, the keyword's score of these 16. Gives {mel, embedding, score}.
 */
export async function wakeWordChain(run, Tensor) {
  const audio = new Tensor('float32', makeValues('pcm', 2 * 16000), [1, 2 * 16000]);
  const mel = only(await run('melspectrogram.onnx', { input: audio }));
  const frames = mel.data.map((v) => v / 10 + 2);
  const windows = new Float32Array(kEmbeddings * kWindow * kMelBins);
  for (let i = 0; i < kEmbeddings; i++) {
    const begin = i * kStep * kMelBins;
    windows.set(frames.subarray(begin, begin + kWindow * kMelBins), i * kWindow * kMelBins);
  }
  const batch = new Tensor('float32', windows, [kEmbeddings, kWindow, kMelBins, 1]);
  const embedding = only(await run('embedding_model.onnx', { input_1: batch }));
  const features = new Tensor('float32', embedding.data, [1, kEmbeddings, embedding.data.length / kEmbeddings]);
  const score = only(await run('hey_jarvis_v0.1.onnx', { 'x.1': features }));
  return { mel, embedding, score };
}

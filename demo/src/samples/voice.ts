// Voice activity: silero looks at 32 ms at a time, with 4 ms before them and what it remembers.
import { type InferenceSession, Tensor } from 'sardonyx';

export const kVoiceRate = 16000;
export const kVoiceChunk = 512;
const kContext = 64;

/** The probability of speech in each chunk of the sound (at kVoiceRate); the last one is filled up with silence. */
export async function findVoice(session: InferenceSession, sound: Float32Array): Promise<Float32Array> {
  const chunks = Math.ceil(sound.length / kVoiceChunk);
  const padded = new Float32Array(kContext + chunks * kVoiceChunk);
  padded.set(sound, kContext);
  const sr = new Tensor('int64', BigInt64Array.of(BigInt(kVoiceRate)), []);
  let state = new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128]);
  const speech = new Float32Array(chunks);
  for (let i = 0; i < chunks; ++i) {
    const window = padded.slice(i * kVoiceChunk, (i + 1) * kVoiceChunk + kContext);
    const outputs = await session.run({ input: new Tensor('float32', window, [1, window.length]), state, sr });
    speech[i] = outputs.output.data[0] as number;
    state = outputs.stateN as typeof state;
  }
  return speech;
}

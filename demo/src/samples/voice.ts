// Voice activity: silero looks at 32 ms at a time, with 4 ms before them and what it remembers.
import { type InferenceSession, type OnnxValue, Tensor } from 'sardonyx';

export const kVoiceRate = 16000;
export const kVoiceChunk = 512;
const kContext = 64;

/** Hears a sound chunk by chunk, and remembers what came before. */
export class Listener {
  readonly #session: InferenceSession;
  readonly #rate = new Tensor('int64', BigInt64Array.of(BigInt(kVoiceRate)), []);
  #state: OnnxValue = new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128]);
  #before = new Float32Array(kContext);

  constructor(session: InferenceSession) {
    this.#session = session;
  }

  /** The probability of speech in each chunk of the sound (at kVoiceRate); the last one is filled up with silence. */
  async hear(sound: Float32Array): Promise<Float32Array> {
    const speech = new Float32Array(Math.ceil(sound.length / kVoiceChunk));
    for (let i = 0; i < speech.length; ++i) {
      const window = new Float32Array(kContext + kVoiceChunk);
      window.set(this.#before);
      window.set(sound.subarray(i * kVoiceChunk, (i + 1) * kVoiceChunk), kContext);
      const input = new Tensor('float32', window, [1, window.length]);
      const outputs = await this.#session.run({ input, state: this.#state, sr: this.#rate });
      speech[i] = outputs.output.data[0] as number;
      this.#state = outputs.stateN;
      this.#before = window.slice(-kContext);
    }
    return speech;
  }
}

// What the microphone hears, and when someone speaks, as it goes on.
import { signal } from '@preact/signals';
import { problem, problemOf } from '../state.js';
import { listen } from './microphone.js';
import type { OpenSample } from './open_sample.js';
import { kVoiceChunk, kVoiceRate } from './voice.js';

/** Chunks that are kept: 30 s. */
const kKept = Math.floor((30 * kVoiceRate) / kVoiceChunk);

export interface Heard {
  /** Of the chunks that are kept, the probability of speech in each. */
  readonly speech: readonly number[];
  readonly sound: Float32Array;
  /** Chunks that were forgotten. */
  readonly before: number;
  /** Milliseconds that the last chunk took. */
  readonly ms: number;
}

export class Listening {
  readonly heard = signal<Heard>({ speech: [], sound: new Float32Array(), before: 0, ms: 0 });
  readonly #opened: OpenSample;
  readonly #waiting: Float32Array[] = [];
  #stop: (() => void) | undefined;
  #ended = false;
  #hearing: Promise<void> | undefined;

  constructor(opened: OpenSample) {
    this.#opened = opened;
  }

  /** @throws DOMException where there is no microphone, or it may not be heard */
  async start(): Promise<void> {
    await this.#opened.ask({ action: 'listen' });
    const stop = await listen(kVoiceRate, (sound) => {
      this.#waiting.push(sound);
      this.#hearing ??= this.#hear()
        .catch((error: Error) => {
          problem.value = problemOf(error);
        })
        .finally(() => {
          this.#hearing = undefined;
        });
    });
    if (this.#ended) stop();
    else this.#stop = stop;
  }

  /** What has come so far is still heard. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#stop?.();
    await this.#hearing;
  }

  /** Whole chunks of what waits; the rest waits on. */
  #next(): Float32Array | undefined {
    const length = this.#waiting.reduce((sum, { length }) => sum + length, 0);
    const whole = length - (length % kVoiceChunk);
    if (whole === 0) return undefined;
    const all = new Float32Array(length);
    let at = 0;
    for (const part of this.#waiting.splice(0)) {
      all.set(part, at);
      at += part.length;
    }
    if (whole < length) this.#waiting.push(all.slice(whole));
    return all.slice(0, whole);
  }

  async #hear(): Promise<void> {
    for (let sound = this.#next(); sound; sound = this.#next()) {
      const result = await this.#opened.ask({ action: 'hear', sound });
      if (!result?.speech) return;
      const { heard } = this;
      const speech = [...heard.value.speech, ...result.speech];
      const gone = Math.max(0, speech.length - kKept);
      const kept = new Float32Array(speech.length * kVoiceChunk);
      kept.set(heard.value.sound);
      kept.set(sound, heard.value.sound.length);
      heard.value = {
        speech: speech.slice(gone),
        sound: kept.slice(gone * kVoiceChunk),
        before: heard.value.before + gone,
        ms: result.ms / result.speech.length,
      };
    }
  }
}

// The microphone as a stream of samples at a rate, one channel.
import { t } from '../i18n/index.js';
import { deviceStream, endStream } from '../run/devices.js';
import tapUrl from './microphone_tap.ts?worker&url';

/** Milliseconds that sound may take to start. */
const kStart = 5000;

/** From one rate to a lower one: each sample is the mean of what falls into its time. */
export class Resampler {
  readonly #step: number;
  /** Of the sample that is being made: the sum, and how much of its time is filled. */
  #sum = 0;
  #filled = 0;

  constructor(from: number, to: number) {
    this.#step = from / to;
  }

  take(sound: Float32Array): Float32Array {
    if (this.#step === 1) return sound;
    const made: number[] = [];
    for (const value of sound) {
      let left = 1;
      while (this.#filled + left >= this.#step) {
        const part = this.#step - this.#filled;
        made.push((this.#sum + part * value) / this.#step);
        left -= part;
        [this.#sum, this.#filled] = [0, 0];
      }
      this.#sum += left * value;
      this.#filled += left;
    }
    return Float32Array.from(made);
  }
}

/** An engine that connects a microphone of another rate brings it to the context's; others get one at its rate. */
async function connect(stream: MediaStream, rate: number): Promise<[AudioContext, MediaStreamAudioSourceNode]> {
  const context = new AudioContext({ sampleRate: rate });
  try {
    return [context, context.createMediaStreamSource(stream)];
  } catch {
    await context.close();
    const other = new AudioContext();
    return [other, other.createMediaStreamSource(stream)];
  }
}

/** Asks for the microphone and gives what it hears, until the function that it returns is called. @throws DOMException */
export async function listen(rate: number, onSound: (sound: Float32Array) => void): Promise<() => void> {
  const stream = await deviceStream({ audio: true });
  let opened: AudioContext | undefined;
  const stop = () => {
    endStream(stream);
    opened?.close();
  };
  try {
    const [context, source] = await connect(stream, rate);
    opened = context;
    await context.audioWorklet.addModule(tapUrl);
    const tap = new AudioWorkletNode(context, 'tap', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
    });
    const resampler = new Resampler(context.sampleRate, rate);
    tap.port.onmessage = ({ data }: MessageEvent<Float32Array>) => onSound(resampler.take(data));
    source.connect(tap);
    // On a machine without any sound device it may wait for ever.
    const late = new Promise((_, reject) => {
      setTimeout(() => reject(new Error(t('noSound'))), kStart);
    });
    await Promise.race([context.resume(), late]);
    return () => {
      tap.port.onmessage = null;
      stop();
    };
  } catch (error) {
    stop();
    throw error;
  }
}

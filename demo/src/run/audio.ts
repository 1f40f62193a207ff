// Sound as samples: from a file or the microphone, one channel, at the rate that a model expects.
import { t } from '../i18n/index.js';
import { deviceStream, endStream } from './devices.js';

/** Decodes any format that the browser knows. @throws Error */
export async function decodeAudio(data: ArrayBuffer, rate: number): Promise<Float32Array> {
  const context = new OfflineAudioContext(1, 1, rate);
  const sound = await context.decodeAudioData(data);
  return mixed(sound);
}

function mixed(sound: AudioBuffer): Float32Array {
  const mix = new Float32Array(sound.length);
  for (let c = 0; c < sound.numberOfChannels; ++c) {
    const channel = sound.getChannelData(c);
    for (let i = 0; i < mix.length; ++i) mix[i] += channel[i] / sound.numberOfChannels;
  }
  return mix;
}

/** Records for some seconds; asks the user for the microphone. @throws DOMException where it may not or cannot */
export async function recordAudio(seconds: number, rate: number): Promise<Float32Array> {
  const stream = await deviceStream({ audio: true });
  try {
    const recorder = new MediaRecorder(stream);
    const parts: Blob[] = [];
    const recorded = new Promise<void>((resolve, reject) => {
      recorder.ondataavailable = ({ data }) => parts.push(data);
      recorder.onstop = () => resolve();
      recorder.onerror = () => reject(new Error(t('recordingBroke')));
    });
    recorder.start();
    setTimeout(() => recorder.stop(), 1000 * seconds);
    await recorded;
    return await decodeAudio(await new Blob(parts).arrayBuffer(), rate);
  } finally {
    endStream(stream);
  }
}

/** A WAV file of 32-bit floats, one channel (format 3 of RIFF's WAVE). */
export function wavOf(samples: Float32Array, rate: number): Blob {
  const head = new DataView(new ArrayBuffer(44));
  const words = (at: number, ascii: string) => {
    for (let i = 0; i < ascii.length; ++i) head.setUint8(at + i, ascii.charCodeAt(i));
  };
  words(0, 'RIFF');
  head.setUint32(4, 36 + samples.byteLength, true);
  words(8, 'WAVEfmt ');
  head.setUint32(16, 16, true);
  head.setUint16(20, 3, true);
  head.setUint16(22, 1, true);
  head.setUint32(24, rate, true);
  head.setUint32(28, 4 * rate, true);
  head.setUint16(32, 4, true);
  head.setUint16(34, 32, true);
  words(36, 'data');
  head.setUint32(40, samples.byteLength, true);
  return new Blob([head, samples as Float32Array<ArrayBuffer>], { type: 'audio/wav' });
}

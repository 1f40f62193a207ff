// Voice activity: a recording or a file, with the parts in which someone speaks.
import { useEffect, useRef, useState } from 'preact/hooks';
import { colours } from '../app/preferences.js';
import { msText } from '../app/text.js';
import { t } from '../i18n/index.js';
import { decodeAudio, recordAudio } from '../run/audio.js';
import { problem } from '../state.js';
import type { OpenSample } from './open_sample.js';
import { kVoiceChunk, kVoiceRate } from './voice.js';

const kSeconds = 5;
const kSpeech = 0.5;

/** The parts of the sound, in seconds, in which the model hears speech. */
export function speechParts(speech: ArrayLike<number>): [number, number][] {
  const parts: [number, number][] = [];
  const second = kVoiceChunk / kVoiceRate;
  for (let i = 0; i < speech.length; ++i) {
    if (speech[i] < kSpeech) continue;
    const last = parts.at(-1);
    if (last && Math.abs(last[1] - i * second) < 1e-6) last[1] = (i + 1) * second;
    else parts.push([i * second, (i + 1) * second]);
  }
  return parts;
}

function draw(canvas: HTMLCanvasElement, sound: Float32Array, speech: ArrayLike<number> | undefined): void {
  const [width, height] = [900, 220];
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  if (!context) return;
  canvas.style.color = 'var(--soft)';
  const soft = getComputedStyle(canvas).color;
  canvas.style.color = 'var(--accent)';
  const accent = getComputedStyle(canvas).color;
  context.fillStyle = soft;
  const per = sound.length / width;
  for (let x = 0; x < width; ++x) {
    let most = 0;
    for (let i = Math.floor(x * per); i < (x + 1) * per && i < sound.length; ++i)
      most = Math.max(most, Math.abs(sound[i]));
    const tall = Math.max(1, Math.min(1, most) * (height / 2 - 6));
    context.fillRect(x, height / 2 - tall, 1, 2 * tall);
  }
  if (!speech) return;
  context.strokeStyle = accent;
  context.lineWidth = 2.5;
  context.beginPath();
  for (let i = 0; i < speech.length; ++i) {
    context.lineTo(((i + 0.5) / speech.length) * width, height - 4 - speech[i] * (height - 8));
  }
  context.stroke();
}

export function VoiceSample({ opened }: { opened: OpenSample }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [sound, setSound] = useState<Float32Array | undefined>(undefined);
  const [recording, setRecording] = useState(false);
  const result = opened.result.value;
  const look = colours.value;
  useEffect(() => {
    if (canvas.current && sound) draw(canvas.current, sound, result?.speech);
  }, [sound, result, look]);
  const take = async (get: () => Promise<Float32Array>) => {
    try {
      opened.result.value = undefined;
      const taken = await get();
      setSound(taken);
      await opened.look({ action: 'sound', sound: taken });
    } catch (error) {
      problem.value = { message: (error as Error).message };
    }
  };
  const record = async () => {
    setRecording(true);
    await take(() => recordAudio(kSeconds, kVoiceRate));
    setRecording(false);
  };
  const parts = result?.speech ? speechParts(result.speech) : [];
  return (
    <div class="stack-small">
      <div class="fields">
        <button type="button" class="primary" disabled={recording} onClick={record}>
          {recording ? t('recording') : t('record', { seconds: kSeconds })}
        </button>
        <input
          id="sample-file"
          type="file"
          accept="audio/*"
          aria-label={t('kindAudio')}
          onChange={(event) => {
            const chosen = event.currentTarget.files?.[0];
            if (chosen) take(async () => decodeAudio(await chosen.arrayBuffer(), kVoiceRate));
          }}
        />
      </div>
      <canvas ref={canvas} class="voice" role="img" aria-label={t('voiceDrawn')} hidden={!sound} />
      <p class="soft" id="sample-status" role="status">
        {opened.going.value
          ? t('running')
          : result?.speech && t('voiceFound', { count: parts.length, time: msText(result.ms) })}
      </p>
      <ol class="findings" id="findings" data-speech={result?.speech && [...result.speech].join()}>
        {parts.map(([begin, end]) => (
          <li key={begin}>
            {begin.toFixed(2)} – {end.toFixed(2)} s
          </li>
        ))}
      </ol>
    </div>
  );
}

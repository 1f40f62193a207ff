// Voice activity: the microphone as it goes on, or a file, with the parts in which someone speaks.
import { useEffect, useRef, useState } from 'preact/hooks';
import { FileField } from '../app/file_field.js';
import { colours } from '../app/preferences.js';
import { save } from '../app/save.js';
import { msText } from '../app/text.js';
import { t } from '../i18n/index.js';
import { decodeAudio, wavOf } from '../run/audio.js';
import { problem, view } from '../state.js';
import { Listening } from './listening.js';
import type { OpenSample } from './open_sample.js';
import { kVoiceChunk, kVoiceRate } from './voice.js';

/** Chunks that are seen while it listens: 10 s. */
const kSeen = Math.floor((10 * kVoiceRate) / kVoiceChunk);
const kSpeech = 0.5;

/** The parts of the sound, in seconds, in which the model hears speech; `before` chunks came before it. */
export function speechParts(speech: ArrayLike<number>, before = 0): [number, number][] {
  const parts: [number, number][] = [];
  const second = kVoiceChunk / kVoiceRate;
  for (let i = 0; i < speech.length; ++i) {
    if (speech[i] < kSpeech) continue;
    const last = parts.at(-1);
    const begin = (before + i) * second;
    if (last && Math.abs(last[1] - begin) < 1e-6) last[1] = begin + second;
    else parts.push([begin, begin + second]);
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

/** The microphone, while it is heard. */
function useListening(opened: OpenSample) {
  const [listening, setListening] = useState<Listening | undefined>(undefined);
  useEffect(() => () => void listening?.end(), [listening]);
  const start = async () => {
    const begun = new Listening(opened);
    setListening(begun);
    try {
      problem.value = undefined;
      await begun.start();
    } catch (error) {
      problem.value = { message: t('noMicrophone', { why: (error as Error).message }) };
      setListening(undefined);
    }
  };
  const stop = () => setListening(undefined);
  useEffect(() => {
    if (view.value !== 'sample') stop();
  }, [view.value]);
  return { listening, start, stop };
}

interface Sound {
  readonly samples: Float32Array;
  readonly speech: ArrayLike<number> | undefined;
  readonly before: number;
  readonly ms: number;
}

/** The end of what is heard, as long as it goes on; all of a sound that is whole. */
function seen({ samples, speech, before, ms }: Sound, live: boolean): Sound {
  const gone = live ? Math.max(0, (speech?.length ?? 0) - kSeen) : 0;
  if (gone === 0) return { samples, speech, before, ms };
  return { samples: samples.subarray(gone * kVoiceChunk), speech: Array.from(speech ?? []).slice(gone), before, ms };
}

function Drawn({ sound, live }: { sound: Sound | undefined; live: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const look = colours.value;
  useEffect(() => {
    if (!canvas.current || !sound || view.peek() !== 'sample') return;
    const { samples, speech } = seen(sound, live);
    draw(canvas.current, samples, speech);
  }, [sound, look, live]);
  return <canvas ref={canvas} class="voice" role="img" aria-label={t('voiceDrawn')} hidden={!sound} />;
}

function statusOf(sound: Sound | undefined, parts: number, going: boolean, live: boolean): string {
  if (live)
    return (sound?.speech?.length ? sound.speech[sound.speech.length - 1] : 0) >= kSpeech ? t('speaks') : t('silent');
  if (going) return t('running');
  return sound?.speech ? t(parts > 0 ? 'voiceFound' : 'voiceNone', { count: parts, time: msText(sound.ms) }) : '';
}

export function VoiceSample({ opened }: { opened: OpenSample }) {
  const { listening, start, stop } = useListening(opened);
  const [taken, setTaken] = useState<Sound | undefined>(undefined);
  const live = listening?.heard.value;
  const heard = live && { ...live, samples: live.sound };
  const sound = heard ?? taken;
  const end = () => {
    if (heard && heard.speech.length > 0) setTaken({ ...heard, ms: heard.ms * heard.speech.length });
    stop();
  };
  const take = async (file: File) => {
    stop();
    problem.value = undefined;
    setTaken(undefined);
    opened.result.value = undefined;
    try {
      const samples = await decodeAudio(await file.arrayBuffer(), kVoiceRate);
      setTaken({ samples, speech: undefined, before: 0, ms: 0 });
      await opened.look({ action: 'sound', sound: samples });
      const result = opened.result.peek();
      if (result) setTaken({ samples, speech: result.speech, before: 0, ms: result.ms });
    } catch {
      problem.value = { message: t('noAudio', { name: file.name }) };
    }
  };
  const parts = sound?.speech ? speechParts(sound.speech, sound.before) : [];
  const speaks = listening !== undefined && (sound?.speech?.length ?? 0) > 0;
  return (
    <div class="stack-small">
      <div class="fields">
        <button type="button" id="listen" class="primary" onClick={listening ? end : start}>
          {listening ? t('stopListening') : t('startListening')}
        </button>
        <FileField id="sample-file" label={t('ownSound')} text={t('ownSound')} accept="audio/*" take={take} />
        {sound?.speech && !listening && (
          <button type="button" id="save-sound" onClick={() => save(wavOf(sound.samples, kVoiceRate), 'sound.wav')}>
            {t('saveSound')}
          </button>
        )}
      </div>
      <Drawn sound={sound} live={listening !== undefined} />
      <p class="soft" id="sample-status" role="status">
        {statusOf(sound, parts.length, opened.going.value, listening !== undefined)}
      </p>
      <ol
        class="findings"
        id="findings"
        data-speech={!speaks && sound?.speech ? Array.from(sound.speech).join() : undefined}
      >
        {parts.map(([begin, end]) => (
          <li key={begin}>
            {begin.toFixed(2)} – {end.toFixed(2)} s
          </li>
        ))}
      </ol>
    </div>
  );
}

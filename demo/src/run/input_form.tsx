// The form of one input: its open dimensions, and what it is filled with.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Choice, Field } from '../app/controls.js';
import { FileField } from '../app/file_field.js';
import { countText, portText } from '../app/text.js';
import { type Key, t } from '../i18n/index.js';
import { problem } from '../state.js';
import { decodeAudio, recordAudio } from './audio.js';
import { Camera } from './camera.js';
import { type Fit, imageSize, type Layout, type Norm } from './image.js';
import type { InputState, Kind } from './input_state.js';
import { readNpy } from './npy.js';
import { pixelsOf } from './pixels.js';
import { TokensPart } from './tokens_part.js';

const kKindTexts: Readonly<Record<Kind, Key>> = {
  random: 'kindRandom',
  zeros: 'kindZeros',
  ones: 'kindOnes',
  count: 'kindCount',
  text: 'kindText',
  image: 'kindImage',
  camera: 'kindCamera',
  audio: 'kindAudio',
  microphone: 'kindMicrophone',
  npy: 'kindNpy',
  tokens: 'kindTokens',
  mask: 'kindMask',
};

/** Does `job`; what goes wrong is shown. */
async function showing(job: () => Promise<void>): Promise<void> {
  problem.value = undefined;
  try {
    await job();
  } catch (error) {
    problem.value = { message: (error as Error).message };
  }
}

/** What comes of a file; else an error that says that it cannot be read. */
async function orSay<T>(made: Promise<T>, key: Key, { name }: File): Promise<T> {
  try {
    return await made;
  } catch {
    throw new Error(t(key, { name }));
  }
}

interface Part {
  readonly input: InputState;
}

/** What the last file gave is forgotten, whether or not this one gives something. */
function InputFile({ input, accept, take }: Part & { accept: string; take: (file: File) => Promise<void> }) {
  const label = t('fileFor', { name: input.meta.name });
  const taking = (file: File) => {
    input.forget();
    return take(file);
  };
  return <FileField label={label} accept={accept} take={(file) => showing(() => taking(file))} />;
}

/** The picture as the model gets it, drawn again when the settings change. */
function Preview({ input }: Part) {
  const place = useRef<HTMLDivElement>(null);
  const picture = input.picture.value;
  const { layout, fit } = input.settings.value;
  const { width, height } = imageSize(input.sizes(), layout);
  useEffect(() => {
    input.canvas.setAttribute('role', 'img');
    input.canvas.setAttribute('aria-label', t('asModelGets'));
    place.current?.replaceChildren(input.canvas);
    if (!picture || !(width > 0 && height > 0)) return;
    try {
      pixelsOf(picture, input.canvas, width, height, fit);
    } catch {
      // Larger than a canvas can be: the run says so.
    }
  }, [picture, width, height, fit]);
  return <div ref={place} class="preview" hidden={!picture} />;
}

function ImagePart({ input }: Part) {
  const settings = input.settings.value;
  const change = (changed: Partial<typeof settings>) => {
    input.settings.value = { ...settings, ...changed };
  };
  const norms: readonly (readonly [Norm, string])[] = [
    ['unit', t('normUnit')],
    ['signed', t('normSigned')],
    ['imagenet', t('normImagenet')],
    ['pixels', t('normPixels')],
  ];
  const fits: readonly (readonly [Fit, string])[] = [
    ['stretch', t('fitStretch')],
    ['contain', t('fitContain')],
    ['cover', t('fitCover')],
  ];
  const layouts: readonly (readonly [Layout, string])[] = [
    ['NCHW', 'NCHW'],
    ['NHWC', 'NHWC'],
  ];
  const orders = [
    ['RGB', 'RGB'],
    ['BGR', 'BGR'],
  ] as const;
  return (
    <>
      {input.kind.value === 'camera' ? (
        <Camera take={(bitmap) => input.fitTo(bitmap)} />
      ) : (
        <InputFile
          input={input}
          accept="image/*"
          take={async (file) => input.fitTo(await orSay(createImageBitmap(file), 'noPicture', file))}
        />
      )}
      <div class="fields">
        <Choice
          text={t('layout')}
          options={layouts}
          value={settings.layout}
          onChange={(layout) => change({ layout })}
        />
        <Choice text={t('values')} options={norms} value={settings.norm} onChange={(norm) => change({ norm })} />
        <Choice text={t('channels')} options={orders} value={settings.order} onChange={(order) => change({ order })} />
        <Choice text={t('fit')} options={fits} value={settings.fit} onChange={(fit) => change({ fit })} />
      </div>
      <Preview input={input} />
    </>
  );
}

function SoundPart({ input }: Part) {
  const seconds = 3;
  const samples = input.samples.value;
  const [recording, setRecording] = useState(false);
  const record = async () => {
    setRecording(true);
    try {
      input.samples.value = await recordAudio(seconds, rate);
    } catch (error) {
      throw new Error(t('noMicrophone', { why: (error as Error).message }));
    } finally {
      setRecording(false);
    }
  };
  const rate = input.rate.value;
  return (
    <div class="fields">
      {input.kind.value === 'audio' ? (
        <InputFile
          input={input}
          accept="audio/*"
          take={async (file) => {
            input.samples.value = await orSay(decodeAudio(await file.arrayBuffer(), rate), 'noAudio', file);
          }}
        />
      ) : (
        <button type="button" aria-disabled={recording} onClick={() => recording || showing(record)}>
          {recording ? t('recording') : t('record', { seconds })}
        </button>
      )}
      <Field text={t('rate')}>
        <input
          type="number"
          min={3000}
          max={96000}
          value={rate}
          onInput={(event) => {
            input.rate.value = Math.max(3000, Math.min(96000, event.currentTarget.valueAsNumber || 16000));
          }}
        />
      </Field>
      <span class="soft" role="status">
        {samples && t('recorded', { count: countText(samples.length) })}
      </span>
    </div>
  );
}

function TextPart({ input }: Part) {
  return (
    <textarea
      rows={2}
      aria-label={t('valuesOf', { name: input.meta.name })}
      placeholder={input.type === 'string' ? t('stringsPlaceholder') : t('numbersPlaceholder')}
      value={input.text.value}
      onInput={(event) => {
        input.text.value = event.currentTarget.value;
      }}
    />
  );
}

function Part({ input }: Part) {
  const kind = input.kind.value;
  if (kind === 'image' || kind === 'camera') return <ImagePart input={input} />;
  if (kind === 'audio' || kind === 'microphone') return <SoundPart input={input} />;
  if (kind === 'tokens') return <TokensPart />;
  if (kind === 'text') return <TextPart input={input} />;
  if (kind !== 'npy') return null;
  const take = async (file: File) => {
    input.array.value = readNpy(file.name, await file.arrayBuffer());
  };
  return <InputFile input={input} accept=".npy" take={take} />;
}

function Sizes({ input }: Part) {
  if (input.dims.every((dim) => typeof dim === 'number')) return null;
  return (
    <div class="fields">
      {input.dims.map((dim, i) => {
        if (typeof dim === 'number') return null;
        const name = typeof input.shape[i] === 'string' && input.shape[i] ? input.shape[i] : `${t('dimension')} ${i}`;
        return (
          <Field key={i} text={name}>
            <input
              type="number"
              min={0}
              value={Number.isNaN(dim.value) ? '' : dim.value}
              onInput={(event) => {
                dim.value = event.currentTarget.valueAsNumber;
              }}
            />
          </Field>
        );
      })}
    </div>
  );
}

export function InputForm({ input }: Part) {
  const { meta, kind } = input;
  return (
    <fieldset class="value">
      <legend>
        <span class="name">{meta.name}</span> <code>{portText(meta)}</code>
      </legend>
      {!input.fillable && <p class="soft">{t('cannotFill')}</p>}
      {input.fillable && (
        <>
          <div class="fields">
            <Choice
              text={t('fillWith')}
              options={input.kinds().map((name) => [name, t(kKindTexts[name])] as const)}
              value={kind.value}
              onChange={(chosen) => {
                kind.value = chosen;
              }}
            />
          </div>
          <Sizes input={input} />
          <Part input={input} />
        </>
      )}
    </fieldset>
  );
}

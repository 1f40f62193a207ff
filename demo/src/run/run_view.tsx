// The run: a form of inputs, how it runs, and what came out.
import { useEffect, useRef, useState } from 'preact/hooks';
import { restart, run } from '../actions.js';
import { Choice, Field } from '../app/controls.js';
import { NotLoaded } from '../app/not_loaded.js';
import { bytesText, msText } from '../app/text.js';
import type { EngineOptions, LoadResult, PlainTensor, RunResult } from '../engine/messages.js';
import { t } from '../i18n/index.js';
import { busy, engineOptions, feedsMaker, lastRun, loaded, model, view } from '../state.js';
import { InputForm } from './input_form.js';
import { Dimensions, InputState } from './input_state.js';
import { OutputView } from './output_view.js';
import { tokenizerReady } from './tokenizer.js';

function timingText({ times, memory }: RunResult): string {
  const sorted = times.toSorted((a, b) => a - b);
  const heap = bytesText(memory.heap);
  if (times.length === 1) return t('timing', { first: msText(times[0]), heap });
  const [best, median] = [msText(sorted[0]), msText(sorted[sorted.length >> 1])];
  return t('timings', { first: msText(times[0]), n: times.length, best, median, heap });
}

function EngineForm() {
  const options = engineOptions.value;
  const change = (changed: Partial<EngineOptions>) => restart({ ...options, ...changed });
  const most = navigator.hardwareConcurrency ?? 1;
  const counts = [1, 2, 4, 8].filter((n) => n === 1 || n <= most).map((n) => [String(n), String(n)] as const);
  return (
    <details class="engine">
      <summary>{t('options')}</summary>
      <div class="fields">
        <Choice
          id="threads"
          text={t('threads')}
          options={[['0', t('automatic')], ...(globalThis.crossOriginIsolated ? counts : [['1', '1'] as const])]}
          value={String(options.threads)}
          onChange={(threads) => change({ threads: Number(threads) })}
        />
        <Choice
          id="simd"
          text={t('variant')}
          options={[
            ['relaxed', t('variantRelaxed')],
            ['fixed', t('variantFixed')],
          ]}
          value={options.simd}
          onChange={(simd) => change({ simd })}
        />
        <Choice
          id="optimization"
          text={t('optimization')}
          options={[
            ['all', t('optimizationAll')],
            ['basic', t('optimizationBasic')],
            ['disabled', t('optimizationNone')],
          ]}
          value={options.optimization}
          onChange={(optimization) => change({ optimization })}
        />
      </div>
      {!globalThis.crossOriginIsolated && <p class="soft">{t('isolationHint')}</p>}
    </details>
  );
}

function Results({ inputs }: { inputs: readonly InputState[] }) {
  const result = lastRun.value;
  const section = useRef<HTMLElement>(null);
  // On a narrow page they come under the form, out of sight.
  useEffect(() => {
    const top = section.current?.getBoundingClientRect().top ?? 0;
    if (view.peek() === 'run' && top > innerHeight - 80) section.current?.scrollIntoView({ block: 'start' });
  }, [result]);
  if (!result) return null;
  const picture = inputs.find((input) => input.picture.value && /image|camera/.test(input.kind.value));
  return (
    <section ref={section} id="results" aria-labelledby="outputs-title">
      <h2 id="outputs-title">{t('outputs')}</h2>
      <p id="timing" class="soft">
        {timingText(result)}
      </p>
      <div id="outputs">
        {result.outputs.map((output) => (
          <OutputView key={output.name} output={output} picture={picture?.canvas} />
        ))}
      </div>
    </section>
  );
}

function inputsOf({ inputs, outputs }: LoadResult): InputState[] {
  const dimensions = new Dimensions(inputs);
  const classes = outputs.map((meta) => (meta.isTensor ? Number(meta.shape.at(-1)) : 0));
  const made = inputs.map((meta) => new InputState(meta, dimensions, Math.max(0, ...classes)));
  const image = made.find((input) => input.kinds()[0] === 'image');
  const picture = model.peek()?.picture;
  if (image && picture) {
    image.kind.value = 'image';
    image.fitTo(picture);
  }
  return made;
}

export function RunView() {
  const value = loaded.value;
  const [repeat, setRepeat] = useState(1);
  // What is filled in stays when the model is loaded again, with other settings.
  const made = useRef<readonly InputState[] | undefined>(undefined);
  if (value && !made.current) made.current = inputsOf(value);
  const inputs = made.current;
  if (!inputs || (!value && busy.value !== 'load')) return <NotLoaded />;
  const feeds = async () => {
    const filled = inputs.filter((input) => input.fillable);
    await tokenizerReady();
    for (const input of filled) input.settle();
    return Object.fromEntries(filled.map((input): [string, PlainTensor] => [input.meta.name, input.value()]));
  };
  feedsMaker.value = feeds;
  return (
    <div class="columns">
      <form
        id="run-form"
        // What is wrong is said by the page, in its language.
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy.value) run(feeds, { repeat, profile: true });
        }}
      >
        <h2>{t('inputs')}</h2>
        <div id="inputs">
          {inputs.length === 0 && <p class="soft">{t('noInputs')}</p>}
          {inputs.map((input) => (
            <InputForm key={input.meta.name} input={input} />
          ))}
        </div>
        <EngineForm />
        <div class="fields actions">
          <button id="run" type="submit" class="primary" aria-disabled={busy.value !== ''}>
            {t('run')}
          </button>
          <Field text={t('runs')}>
            <input
              id="repeat"
              type="number"
              min={1}
              max={1000}
              value={repeat}
              onInput={(event) =>
                setRepeat(Math.max(1, Math.min(1000, Math.trunc(event.currentTarget.valueAsNumber) || 1)))
              }
            />
          </Field>
          <output id="status" aria-live="polite">
            {busy.value === 'run' ? t('running') : lastRun.value ? t('done') : ''}
          </output>
        </div>
      </form>
      <Results inputs={inputs} />
    </div>
  );
}

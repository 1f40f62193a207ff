// The tokens that a model of language holds for likely, and tokens as the text that they are.
import { useMemo, useState } from 'preact/hooks';
import { Field } from '../app/controls.js';
import { t } from '../i18n/index.js';
import type { Numbers } from './elements.js';
import { addToken, likelyPlace, probabilities, vocabulary } from './token_output.js';
import { largest } from './top_list.js';

const kTop = 10;
const kPlaces = 64;

interface Props {
  readonly numbers: Numbers;
  readonly dims: readonly number[];
}

function rowOf(numbers: Numbers, place: number, width: number): number[] {
  return Array.from({ length: width }, (_, i) => Number(numbers[place * width + i]));
}

export function NextTokens({ numbers, dims }: Props) {
  const width = dims.at(-1) ?? 1;
  const places = numbers.length / width;
  // Of several sequences, the first one's.
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const place = Math.min(chosen ?? likelyPlace(dims.at(-2) ?? 1), places - 1);
  const words = vocabulary.value;
  const top = useMemo(() => largest(probabilities(rowOf(numbers, place, width)), kTop), [numbers, place, width]);
  const likeliest = useMemo(() => {
    const shown = Math.min(places, kPlaces);
    return Array.from({ length: shown }, (_, i) => largest(rowOf(numbers, i, width), 1)[0]?.i ?? 0);
  }, [numbers, width]);
  if (!words) return null;
  return (
    <>
      <div class="fields">
        <Field text={t('tokenPlace')}>
          <input
            type="number"
            min={0}
            max={places - 1}
            value={place}
            onInput={({ currentTarget: { valueAsNumber } }) => {
              if (valueAsNumber >= 0) setChosen(Math.min(places - 1, Math.trunc(valueAsNumber)));
            }}
          />
        </Field>
      </div>
      <table class="figures top tokens">
        <caption class="unseen">{t('nextTokens')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('token')}</th>
            <th scope="col">{t('probability')}</th>
            <th scope="col">
              <span class="unseen">{t('addToken')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {top.map(({ i, value }) => (
            <tr key={i}>
              <td>
                <code>{words.piece(i)}</code>
              </td>
              <td>
                <span class="bar-behind" style={{ width: `${100 * value}%` }} />
                <span>{(100 * value).toFixed(1)} %</span>
              </td>
              <td>
                <button
                  type="button"
                  aria-label={t('addTokenNamed', { token: words.piece(i) })}
                  title={t('addToken')}
                  onClick={() => addToken(i)}
                >
                  +
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="pieces likeliest">
        <span class="soft">{t('likeliest')}</span>{' '}
        {likeliest.map((id, i) => (
          <code key={`${i} ${id}`}>{words.piece(id)}</code>
        ))}
        {places > kPlaces && ` +${places - kPlaces}`}
      </p>
    </>
  );
}

/** Each row of tokens as text. */
export function DecodedText({ numbers, dims }: Props) {
  const width = dims.at(-1) ?? 1;
  const words = vocabulary.value;
  const rows = width > 0 ? Math.min(numbers.length / width, kPlaces) : 0;
  if (!words) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <pre tabIndex={0} class="decoded">
      {Array.from({ length: rows }, (_, row) => words.decode(rowOf(numbers, row, width))).join('\n')}
    </pre>
  );
}

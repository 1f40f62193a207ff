// The largest elements with their places, or with labels from a file.
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { FileField } from '../app/file_field.js';
import { numberText } from '../app/text.js';
import { t } from '../i18n/index.js';
import { type Numbers, placeText } from './elements.js';

const kTop = 5;
/** One label per class, as chosen last. */
export const labels = signal<readonly string[]>([]);

export function largest(numbers: Numbers, most = kTop): { readonly i: number; readonly value: number }[] {
  const top: { i: number; value: number }[] = [];
  for (let i = 0; i < numbers.length; ++i) {
    const value = Number(numbers[i]);
    if (Number.isNaN(value) || (top.length === most && value <= top[most - 1].value)) continue;
    let at = top.length;
    while (at > 0 && top[at - 1].value < value) --at;
    top.splice(at, 0, { i, value });
    top.length = Math.min(top.length, most);
  }
  return top;
}

export function TopList({ numbers, dims }: { numbers: Numbers; dims: readonly number[] }) {
  const top = useMemo(() => largest(numbers), [numbers]);
  const scale = Math.max(...top.map(({ value }) => Math.abs(value))) || 1;
  return (
    <>
      <table class="figures top">
        <caption class="unseen">{t('largest')}</caption>
        <thead>
          <tr>
            <th scope="col">{labels.value.length > 0 ? t('label') : t('place')}</th>
            <th scope="col">{t('value')}</th>
          </tr>
        </thead>
        <tbody>
          {top.map(({ i, value }) => (
            <tr key={i}>
              <td>{labels.value[i] ?? placeText(i, dims)}</td>
              <td>
                <span class="bar-behind" style={{ width: `${(100 * Math.max(0, value)) / scale}%` }} />
                <span>{numberText(value)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="field">
        <span>{t('labels')}</span>
        <FileField
          label={t('labels')}
          accept=".txt,.csv,.json"
          take={async (file) => {
            labels.value = labelsOf(await file.text());
          }}
        />
      </div>
    </>
  );
}

/** A JSON list, or lines. */
function labelsOf(text: string): string[] {
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed.map(String);
  } catch {
    // Lines, then.
  }
  return text.trimEnd().split(/\r?\n/);
}

// The language of the page: chosen, remembered, else the browser's; texts by key.
import { signal } from '@preact/signals';
import { en, type Key, type Texts } from './en.js';
import { EngineError, type Failure, type Spoken } from './said.js';
import { zh } from './zh.js';
import { explainFailure } from './zh_engine.js';

export type Language = 'en' | 'zh';
export const kLanguages: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['zh', '中文'],
];
const kTables: Readonly<Record<Language, Texts>> = { en, zh };

export const language = signal<Language>(/^zh\b/i.test(navigator.language) ? 'zh' : 'en');

export type Values = Readonly<Record<string, string | number>>;

/**
 * The text of a key, with {names} filled in and {name:one|several} chosen by the number of that name; components that
 * call it are drawn again when the language changes.
 */
export function t(key: Key, values: Values = {}): string {
  return kTables[language.value][key].replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (all, name, one, several) => {
    const value = values[name];
    if (value === undefined) return all;
    return one === undefined ? String(value) : String(value) === '1' ? one : several;
  });
}

/** What a worker answered in place of a result. */
export const errorOf = ({ error, key, values }: Spoken): Error =>
  key ? new Error(t(key, values)) : new EngineError(error);

/** What the page says of an error beside its English words, where it has more to say than they. */
export function explained(failure: Failure): string | undefined {
  if (language.value === 'zh') return explainFailure(failure);
  const file = /needs the external data file "(.*?)"/.exec(failure.message)?.[1];
  return file && t('openWith', { file });
}

export type { Key } from './en.js';

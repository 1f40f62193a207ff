// The language of the page: chosen, remembered, else the browser's; texts by key.
import { signal } from '@preact/signals';
import { en, type Key, type Texts } from './en.js';
import { zh } from './zh.js';

export type Language = 'en' | 'zh';
export const kLanguages: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['zh', '中文'],
];
const kTables: Readonly<Record<Language, Texts>> = { en, zh };

export const language = signal<Language>(/^zh\b/i.test(navigator.language) ? 'zh' : 'en');

/** The text of a key, with {names} filled in; components that call it are drawn again when the language changes. */
export function t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
  return kTables[language.value][key].replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all));
}

export type { Key } from './en.js';

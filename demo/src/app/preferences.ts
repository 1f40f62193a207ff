// Language and colours: what was chosen on an earlier visit, and keeping what is chosen now.
import { effect, signal } from '@preact/signals';
import { kLanguages, language } from '../i18n/index.js';
import { model } from '../state.js';

export type Theme = 'auto' | 'light' | 'dark';
export const theme = signal<Theme>('auto');
/** Counts changes of the colours that are shown: canvases draw again. */
export const colours = signal(0);

// Storage may be forbidden; the page works without.
function remembered(key: string): string | null {
  try {
    return localStorage.getItem(`sardonyx.${key}`);
  } catch {
    return null;
  }
}

function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`sardonyx.${key}`, value);
  } catch {
    // As above.
  }
}

export function applyPreferences(): void {
  const chosen = kLanguages.find(([name]) => name === remembered('language'));
  if (chosen) language.value = chosen[0];
  const look = remembered('theme');
  if (look === 'light' || look === 'dark') theme.value = look;
  const root = document.documentElement;
  effect(() => {
    root.lang = language.value === 'zh' ? 'zh-Hans' : 'en';
    remember('language', language.value);
  });
  effect(() => {
    document.title = [model.value?.name, 'Sardonyx Studio'].filter(Boolean).join(' – ');
  });
  effect(() => {
    if (theme.value === 'auto') root.removeAttribute('data-theme');
    else root.dataset.theme = theme.value;
    remember('theme', theme.value);
    colours.value = colours.peek() + 1;
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    colours.value++;
  });
}

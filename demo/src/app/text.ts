// Numbers and shapes as short text.
import type { InferenceSession } from 'sardonyx';
import { language, t } from '../i18n/index.js';
import type { Statistics } from '../run/elements.js';

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [value, unit] =
    bytes < 2 ** 20 ? [bytes / 1024, 'KB'] : bytes < 2 ** 30 ? [bytes / 2 ** 20, 'MB'] : [bytes / 2 ** 30, 'GB'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

export function msText(ms: number): string {
  if (ms === 0) return '0 ms';
  if (ms < 0.1) return `${(1000 * ms).toFixed(1)} µs`;
  return `${ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** A number in few characters. */
export function numberText(value: unknown): string {
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  return Number(value.toPrecision(5)).toString();
}

type Measure = 'min' | 'max' | 'mean' | 'deviation';

/** 'min 0, max 2, mean 1' of the wanted measures, and how many elements are no number. */
export function rangeText(stats: Statistics, measures: readonly Measure[]): string {
  const parts = measures.map((name) => `${t(name)} ${numberText(stats[name])}`);
  if (stats.strange > 0) parts.push(t('strange', { count: countText(stats.strange) }));
  return parts.join(t('comma'));
}

/** '282 million', '2.82亿': three digits of a large number. */
export const largeText = (count: number): string =>
  new Intl.NumberFormat(language.value === 'zh' ? 'zh-Hans' : 'en', {
    notation: 'compact',
    compactDisplay: 'long',
    maximumSignificantDigits: 3,
  }).format(count);

export function countText(count: number): string {
  return count.toLocaleString(language.value === 'zh' ? 'zh-Hans' : 'en');
}

export function shapeText(shape: readonly (number | string)[]): string {
  return `[${shape.map((d) => (d === '' ? '?' : d)).join(', ')}]`;
}

export function portText(meta: InferenceSession.ValueMetadata): string {
  return meta.isTensor ? `${meta.type}${shapeText(meta.shape)}` : meta.description;
}

// Numbers and shapes as short text.
import type { InferenceSession } from 'sardonyx';
import { language } from '../i18n/index.js';

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [value, unit] =
    bytes < 2 ** 20 ? [bytes / 1024, 'KB'] : bytes < 2 ** 30 ? [bytes / 2 ** 20, 'MB'] : [bytes / 2 ** 30, 'GB'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

export function msText(ms: number): string {
  if (ms === 0) return '0';
  if (ms < 0.1) return `${(1000 * ms).toFixed(1)} µs`;
  return `${ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** A number in few characters. */
export function numberText(value: unknown): string {
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  return Number(value.toPrecision(5)).toString();
}

export function countText(count: number): string {
  return count.toLocaleString(language.value === 'zh' ? 'zh-Hans' : 'en');
}

export function shapeText(shape: readonly (number | string)[]): string {
  return `[${shape.map((d) => (d === '' ? '?' : d)).join(', ')}]`;
}

export function portText(meta: InferenceSession.ValueMetadata): string {
  return meta.isTensor ? `${meta.type}${shapeText(meta.shape)}` : meta.description;
}

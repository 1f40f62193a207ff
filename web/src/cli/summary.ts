// What the outputs of a run look like, in a few numbers each.
import { type OnnxValue, type Scalar, Tensor } from '../index.js';
import { elementsOf, isFloat } from '../tools/numbers.js';
import { numberText, shapeText } from './output.js';

const kFirst = 8;

/** What --json says of an output that is a tensor; min, max and mean leave NaN out, and are absent where there is nothing. */
export interface TensorSummary {
  readonly name: string;
  readonly type: string;
  readonly dims: readonly number[];
  readonly min?: number | bigint;
  readonly max?: number | bigint;
  readonly mean?: number;
  readonly nan?: number;
  readonly first: readonly (number | bigint | string)[];
  file?: string;
}
/** Of any other output. */
export interface OtherSummary {
  readonly name: string;
  readonly type: 'sequence' | 'map' | 'none';
  readonly items: readonly (TensorSummary | OtherSummary)[];
  file?: never;
}

function statistics(values: ArrayLike<number | bigint>): Pick<TensorSummary, 'min' | 'max' | 'mean' | 'nan'> {
  let nan = 0;
  let sum = 0;
  let min: number | bigint | undefined;
  let max: number | bigint | undefined;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number | bigint;
    if (Number.isNaN(value)) {
      nan++;
      continue;
    }
    sum += Number(value);
    if (min === undefined || value < min) min = value;
    if (max === undefined || value > max) max = value;
  }
  if (min === undefined || max === undefined) return { nan };
  return { min, max, mean: sum / (values.length - nan), nan };
}

export function summaryOf(name: string, value: OnnxValue | Scalar): TensorSummary | OtherSummary {
  if (value instanceof Tensor) {
    const { type, dims } = value;
    const elements = elementsOf(value);
    const first = Array.from({ length: Math.min(kFirst, elements.length) }, (_, i) => elements[i] ?? '');
    if (type === 'string') return { name, type, dims, first };
    const { nan, ...rest } = statistics(elements as ArrayLike<number | bigint>);
    return { name, type, dims, ...rest, ...(isFloat(type) ? { nan: nan ?? 0 } : {}), first };
  }
  const isMap = value instanceof Map;
  const entries = isMap ? [...value] : Array.isArray(value) ? [...value.entries()] : [];
  const items = entries.map(([key, item]) => summaryOf(`${name}[${key}]`, item));
  if (typeof value !== 'object') return { name, type: 'none', items };
  return { name, type: value === null ? 'none' : isMap ? 'map' : 'sequence', items };
}

/** The same for people: a line of what it is, and one of its numbers. */
export function summaryLines(summary: TensorSummary | OtherSummary, indent = '  '): string[] {
  if ('items' in summary) {
    const { name, type, items } = summary;
    const head = `${indent}${name}: ${type}${type === 'none' ? '' : ` of ${items.length}`}`;
    return [head, ...items.flatMap((item) => summaryLines(item, `${indent}  `))];
  }
  const { name, type, dims, min, max, mean, nan, first, file } = summary;
  const lines = [`${indent}${name}: ${shapeText(type, dims)}${file ? `  -> ${file}` : ''}`];
  const count = dims.reduce((a, b) => a * b, 1);
  if (min !== undefined && max !== undefined) {
    lines.push(`${indent}  min ${numberText(min)}  max ${numberText(max)}  mean ${numberText(mean as number)}`);
  }
  if (nan) lines.push(`${indent}  ${nan} of ${count} are NaN`);
  if (first.length > 0) {
    lines.push(`${indent}  ${first.map(numberText).join(', ')}${first.length < count ? ', ...' : ''}`);
  }
  return lines;
}

// Elements for an input by a rule, or from text: JSON or a list of numbers.
import type { PlainTensor } from '../engine/messages.js';
import { t } from '../i18n/index.js';
import { arrayOf, isFloat } from './elements.js';

export type Rule = 'random' | 'zeros' | 'ones' | 'count';

/** Random floats in [0, 1), random integers in 0..9. */
export function fromRule(rule: Rule, type: string, count: number): PlainTensor['data'] {
  const most = type === 'bool' ? 2 : 10;
  const random = isFloat(type) ? Math.random : () => Math.floor(Math.random() * most);
  const values: Readonly<Record<Rule, (i: number) => number>> = {
    random,
    zeros: () => 0,
    ones: () => 1,
    count: (i) => i,
  };
  return arrayOf(type, count, values[rule]);
}

const kIntegerTypes = /^(u?)int(\d+)$/;

/** A number, as text or not, that the type has; `name`: of the input. Throws Error where it is none. */
function numberOf(name: string, type: string, word: unknown): number | bigint {
  if (word === true || word === 'true') return 1;
  if (word === false || word === 'false') return 0;
  const value = typeof word === 'number' || typeof word === 'string' ? Number(word) : Number.NaN;
  if (word === '' || (Number.isNaN(value) && word !== 'NaN')) {
    throw new Error(t('noNumber', { name, word: typeof word === 'string' ? word : JSON.stringify(word) }));
  }
  const [, unsigned, bits] = kIntegerTypes.exec(type) ?? [];
  if (bits === undefined) return value;
  // Text keeps what is beyond 2^53.
  const exact = typeof word === 'string' && /^[-+]?\d+$/.test(word) ? word : value;
  const whole = Number.isInteger(value) ? BigInt(exact) : undefined;
  const fits = unsigned ? BigInt.asUintN : BigInt.asIntN;
  if (whole === undefined || fits(Number(bits), whole) !== whole) {
    throw new Error(t('noValue', { name, word: String(word), type }));
  }
  return whole;
}

// A whole number of which JSON.parse could lose digits; it may stand in a string too, so numbers only.
const kLongInteger = /(?<=[\s[,])-?[1-9]\d{15,}(?=[\s\],])/g;

/** A JSON list of lists as its elements in order and, if they are lists all alike, its dimensions; long integers of numbers as text. */
function fromJson(type: string, text: string): { values: unknown[]; dims: number[] } | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(type === 'string' ? text : text.replace(kLongInteger, '"$&"'));
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed)) return undefined;
  const dims: number[] = [];
  for (let level: unknown = parsed; Array.isArray(level); level = level[0]) dims.push(level.length);
  const values = parsed.flat(Number.POSITIVE_INFINITY);
  const even = dims.reduce((a, b) => a * b, 1) === values.length;
  return { values, dims: even ? dims : [values.length] };
}

/**
 * Elements that were typed in for the input `name`, repeated until there are `count`; a JSON list of more than one level has its own
 * dimensions. Throws Error with what is wrong.
 */
export function fromText(name: string, type: string, dims: readonly number[], text: string): PlainTensor {
  const json = fromJson(type, text.trim());
  const own = json && json.dims.length > 1 && json.dims.length === dims.length;
  const shape = own ? json.dims : dims;
  const count = shape.reduce((a, b) => a * b, 1);
  const words = json?.values ?? (type === 'string' ? text.split('\n') : text.split(/[\s,;[\]]+/).filter(Boolean));
  if (words.length === 0) throw new Error(t('noValuesYet', { name }));
  if (words.length > count) throw new Error(t('tooManyValues', { name, count: words.length, wanted: count }));
  const values = type === 'string' ? words.map(String) : words.map((word) => numberOf(name, type, word));
  return { type, dims: shape, data: arrayOf(type, count, (i) => values[i % values.length]) };
}

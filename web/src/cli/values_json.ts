// Tensors from .json files: nested lists, whose shape is the nesting, or {"dims": [...], "data": [...]}.
import { arrayOf, isDType } from '../dtypes.js';
import { Tensor } from '../index.js';
import { elementsOf, encodeFloat, isFloat } from '../tools/numbers.js';

/** All lists of a level have the same length. Throws Error. */
function shapeOf(value: unknown): number[] {
  const dims: number[] = [];
  for (let level = value; Array.isArray(level); level = level[0]) dims.push(level.length);
  return dims;
}

function flatten(value: unknown, dims: readonly number[], depth: number, where: string, into: unknown[]): void {
  if (depth === dims.length) {
    if (typeof value === 'object') throw new Error(`${where || 'the value'} is ${JSON.stringify(value)}, not a value`);
    into.push(value);
    return;
  }
  const wanted = dims[depth] as number;
  if (!Array.isArray(value) || value.length !== wanted) {
    const found = Array.isArray(value) ? `a list of ${value.length}` : 'no list';
    throw new Error(`${where || 'the value'} is ${found}; the first at its depth is a list of ${wanted}`);
  }
  for (const [i, item] of value.entries()) flatten(item, dims, depth + 1, `${where}[${i}]`, into);
}

const kMostDepth = 64;
// A whole number of which JSON.parse could lose digits, outside of strings.
const kLongInteger = /(?<=^|[\s[,:])-?[1-9]\d{15,}(?=$|[\s\],}])/g;
const kWords: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity, '-Infinity': -Infinity };

function integerOf(value: unknown, type: string, i: number): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  // 1e17 and its like: it may have been another number before it was parsed.
  if (Number.isInteger(value)) throw new Error(`element ${i} is ${value}: write so large a number with all its digits`);
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
  throw new Error(`element ${i} is ${JSON.stringify(value)}, not a whole number, as ${type} takes them`);
}

function numberOf(value: unknown, type: string, i: number): number {
  const number = typeof value === 'boolean' ? Number(value) : typeof value === 'string' ? kWords[value] : value;
  if (typeof number !== 'number') throw new Error(`element ${i} is ${JSON.stringify(value)}, which is no ${type}`);
  if (type === 'bool' && number !== 0 && number !== 1)
    throw new Error(`element ${i} is ${number}, neither true nor false`);
  if (value === Infinity || value === -Infinity)
    throw new Error(`element ${i} is larger than any number of JavaScript`);
  if (/^u?int|^bool/.test(type) && !Number.isInteger(number)) {
    throw new Error(`element ${i} is ${number}, not a whole number, as ${type} takes them`);
  }
  return number;
}

// A typed array would wrap them round.
function checkedRange(data: ArrayLike<number | bigint>, values: readonly (number | bigint)[], type: string): void {
  const at = values.findIndex((value, i) => data[i] !== value);
  if (at >= 0) throw new Error(`element ${at} is ${values[at]}, which ${type} cannot hold`);
}

/** The tensor, in which no value has become infinite that was not. @throws Error */
export function finite(tensor: Tensor, values: ArrayLike<unknown>): Tensor {
  if (!isFloat(tensor.type)) return tensor;
  const elements = elementsOf(tensor) as ArrayLike<number>;
  for (let i = 0; i < elements.length; i++) {
    if (Math.abs(elements[i] as number) !== Infinity || Math.abs(Number(values[i])) === Infinity) continue;
    throw new Error(`element ${i} is ${values[i]}, which ${tensor.type} cannot hold`);
  }
  return tensor;
}

function arrayOfValues(type: Tensor.Type, values: readonly unknown[]): Tensor.DataType {
  if (type === 'string') {
    const other = values.findIndex((value) => typeof value !== 'string');
    if (other >= 0) throw new Error(`element ${other} is ${JSON.stringify(values[other])}, not a string`);
    return values as string[];
  }
  const array = arrayOf(type) as NonNullable<ReturnType<typeof arrayOf>>;
  if (type === 'int64' || type === 'uint64') {
    const numbers = values.map((value, i) => integerOf(value, type, i));
    const data: Tensor.DataType = new array(numbers);
    checkedRange(data as unknown as bigint[], numbers, type);
    return data;
  }
  const numbers = values.map((value, i) => numberOf(value, type, i));
  if (type === 'bfloat16' || (type === 'float16' && array.name === 'Uint16Array')) {
    return Uint16Array.from(numbers, (value) => encodeFloat(type, value));
  }
  const data: Tensor.DataType = new array(numbers);
  if (/^u?int|^bool/.test(type)) checkedRange(data as unknown as number[], numbers, type);
  return data;
}

/**
 * The tensor of the type that the text describes; 64-bit integers keep all their digits and may be strings, and "NaN",
 * "Infinity" and "-Infinity" are numbers. Complex numbers come as [real, imaginary] in a last dimension. Throws Error with the reason.
 */
export function readJson(text: string, type: Tensor.Type): Tensor {
  if (/^(float8|float4|u?int[24]$)/.test(type)) throw new Error(`values of the type ${type} cannot be written in JSON`);
  let value: unknown;
  try {
    value = JSON.parse(/^u?int64$/.test(type) ? text.replace(kLongInteger, '"$&"') : text);
  } catch (error) {
    throw new Error(`it is no JSON: ${(error as Error).message}`);
  }
  let dims: number[] | undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const given = value as { type?: unknown; dims?: number[]; data?: unknown };
    if (given.type !== undefined && (!isDType(given.type) || given.type !== type)) {
      throw new Error(`its "type" is ${JSON.stringify(given.type)}, but ${type} is wanted`);
    }
    if (!Array.isArray(given.dims) || !Array.isArray(given.data)) throw new Error('it is no list, and no {dims, data}');
    dims = given.dims;
    value = given.data;
  }
  const nesting = shapeOf(value);
  if (nesting.length > kMostDepth) throw new Error(`it is nested ${nesting.length} deep`);
  const values: unknown[] = [];
  flatten(value, nesting, 0, '', values);
  if (!dims && type.startsWith('complex') && nesting.pop() !== 2) {
    throw new Error('complex numbers come as [real, imaginary]');
  }
  return finite(new Tensor(type, arrayOfValues(type, values), dims ?? nesting), values);
}

// Values for inputs that are not given: the same for the same seed, on every machine.
import { arrayLength, arrayOf, bitsOf } from '../dtypes.js';
import { Tensor } from '../tensor.js';
import { encodeFloat } from './numbers.js';

/** Numbers in [0, 1): Tommy Ettinger's mulberry32, 32 bits of state. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// A seed of its own for each input, so that one more input changes no other.
function mixed(seed: number, name: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) as number), 0x01000193);
  return hash >>> 0;
}

// Of the heap, and of one piece of it.
const kMostBytes = 2 ** 32;
const kMostOfOne = 2 ** 31;
// The engine's stack and constants.
const kOwnBytes = 2 << 20;

/** Why tensors can be in no heap of WebAssembly, beside `weights` bytes of a model; undefined where they may. */
export function misfit(tensors: readonly Pick<Tensor, 'type' | 'dims'>[], weights: number): string | undefined {
  const bytes = tensors.map(({ type, dims }) => dims.reduce((a, b) => a * b, Math.max(bitsOf(type), 1) / 8));
  const fits = bytes.reduce((a, b) => a + b, kOwnBytes + weights) <= kMostBytes;
  if (fits && bytes.every((size) => size < kMostOfOne)) return undefined;
  const text = tensors.map(({ type, dims }) => `${type}[${dims.join(', ')}]`).join(', ');
  if (fits) return `of the inputs ${text} one is larger than the 2 GB that a tensor can have`;
  const beside = weights < 1e6 ? '' : `, with ${Math.round(weights / 1e6)} MB of weights,`;
  return `the inputs ${text}${beside} are larger than the 4 GB that WebAssembly can hold`;
}

// So many elements are drawn; those behind them are the same again. A prime: no row of a tensor is another's.
const kDrawn = 4_194_301;

/**
 * Floats are uniform in [-1, 1); uint8 is 0 to 255, int8 -128 to 127; other integers are 0 to 9, so that they can serve as
 * indices; bool is either; strings are "a" to "j". Past 4 million elements they come again.
 */
export function randomTensor(type: Tensor.Type, dims: readonly number[], name: string, seed: number): Tensor {
  const next = generator(mixed(seed, name));
  const count = dims.reduce((a, b) => a * b, 1);
  const below = (n: number) => Math.floor(next() * n);
  if (type === 'string') {
    const text = Array.from({ length: count }, () => String.fromCharCode(97 + below(10)));
    return new Tensor(type, text, dims);
  }
  const array = arrayOf(type) as NonNullable<ReturnType<typeof arrayOf>>;
  const data = new array(arrayLength(type, count));
  const signed = () => next() * 2 - 1;
  let make: () => number | bigint = () => below(10);
  if (/^(float(32|64)|complex)/.test(type) || array.name === 'Float16Array') make = signed;
  else if (type === 'float16' || type === 'bfloat16') make = () => encodeFloat(type, signed());
  else if (type === 'bool') make = () => below(2);
  else if (type === 'int64' || type === 'uint64') make = () => BigInt(below(10));
  else if (type === 'int8') make = () => below(256) - 128;
  else if (type === 'float8e8m0') make = () => 120 + below(8);
  // Half of the codes, so that none of them is NaN or infinite.
  else if (type.startsWith('float8')) make = () => below(0x40);
  else if (bitsOf(type) <= 8) make = () => below(256);
  const drawn = Math.min(data.length, kDrawn);
  for (let i = 0; i < drawn; i++) data[i] = make();
  for (let i = drawn; i < data.length; i += drawn) data.copyWithin(i, 0, Math.min(drawn, data.length - i));
  return new Tensor(type, data, dims);
}

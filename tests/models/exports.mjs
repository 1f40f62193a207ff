// PyTorch's exports: the inputs of their runs, and how outputs are held against PyTorch's own (export/export.py).
import { lcg } from './feeds.mjs';

const kSeed = 12345;
// What an output may be away from PyTorch's.
const kRelative = 1e-3;
const kAbsolute = 1e-4;

const kArrays = { float32: Float32Array, int64: BigInt64Array, bool: Uint8Array };
const sizeOf = (dims) => dims.reduce((a, b) => a * b, 1);

function numbersOf(spec, index) {
  if (spec.kind === 'given') return spec.values.map(Number);
  const random = lcg(kSeed + 7919 * index);
  const next = {
    u01: () => random(),
    u11: () => random() * 2 - 1,
    below: () => Math.floor(random() * spec.below),
  }[spec.kind];
  return Array.from({ length: sizeOf(spec.dims) }, next);
}

/** The tensor of the input at `index` of a run: the same values as tensor_of() in export/case.py makes. */
export function inputOf(spec, index, Tensor) {
  const numbers = numbersOf(spec, index);
  const data = spec.type === 'int64' ? BigInt64Array.from(numbers, BigInt) : kArrays[spec.type].from(numbers);
  return new Tensor(spec.type, data, spec.dims);
}

function decode(text, type) {
  const bytes = Buffer.from(text, 'base64');
  const Numbers = type === 'float32' ? Float32Array : Float64Array;
  return Array.from(new Numbers(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)));
}

function mean(values, begin, end) {
  let sum = 0;
  for (let i = begin; i < end; i++) sum += values[i];
  return sum / (end - begin);
}

// Whether a value is as close as the tolerance says; infinities and NaN must be the same.
const isClose = (a, b) => Object.is(a, b) || Math.abs(a - b) <= kAbsolute + kRelative * Math.abs(b);

/** What is wrong with an output {type, dims, data}, '' where nothing is. */
export function compareOutput({ type, dims, data }, expected) {
  if (type !== expected.type) return `is ${type}, not ${expected.type}`;
  if (String(dims) !== String(expected.dims)) return `has the shape [${dims}], not [${expected.dims}]`;
  const values = Array.from(data, Number);
  const n = sizeOf(expected.dims);
  if (values.length !== n) return `has ${values.length} values, not ${n}`;
  const samples = decode(expected.values, type);
  for (const [i, value] of samples.entries()) {
    const at = Math.floor((i * n) / samples.length);
    if (!isClose(values[at], value)) return `is ${values[at]} at ${at}, not ${value}`;
  }
  const means = decode(expected.means ?? '', 'float64');
  for (const [i, value] of means.entries()) {
    const [begin, end] = [i, i + 1].map((k) => Math.floor((k * n) / means.length));
    if (!isClose(mean(values, begin, end), value)) return `has another mean in ${begin}..${end}`;
  }
  return '';
}

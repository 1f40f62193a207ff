// The self-test of env.wasm.selfTest: a model of four nodes, whose results are computed here once more, plainly.
import type { Created } from './create_engine.js';
import type { SessionEngine } from './engine.js';
import { OnnxError } from './errors.js';
import { kNoFiles } from './external.js';
import type { NativeTensor } from './native.js';

const kFloat = 1;
const kUint8 = 2;
const kInt8 = 3;
const kInt32 = 6;
const kTolerance = 1e-4;

// Protocol Buffers, as far as a model needs them: fields of bytes, text and whole numbers.
type Field = readonly [number: number, value: number | string | Uint8Array];

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

function message(...fields: readonly Field[]): Uint8Array {
  const bytes: number[] = [];
  for (const [number, value] of fields) {
    if (typeof value === 'number') {
      bytes.push(...varint(number << 3), ...varint(value));
    } else {
      const data = typeof value === 'string' ? new TextEncoder().encode(value) : value;
      bytes.push(...varint((number << 3) | 2), ...varint(data.length), ...data);
    }
  }
  return Uint8Array.from(bytes);
}

/** A tensor of the test: `dims` and whole numbers from -5 to 5 (0 to 10 without a sign), the same every time. */
interface Sample {
  readonly name: string;
  readonly dtype: number;
  readonly dims: readonly number[];
  readonly values: Float32Array | Int8Array | Uint8Array;
}

function sample(name: string, dtype: number, ...dims: number[]): Sample {
  const count = dims.reduce((a, b) => a * b, 1);
  const least = dtype === kUint8 ? 0 : -5;
  const numbers = Array.from({ length: count }, (_, i) => ((i * 7919 + 13) % 11) + least);
  const Values = dtype === kFloat ? Float32Array : dtype === kInt8 ? Int8Array : Uint8Array;
  return { name, dtype, dims, values: new Values(numbers) };
}

const bytesOf = ({ values }: Sample) => new Uint8Array(values.buffer, 0, values.byteLength);
const constant = (s: Sample) =>
  message(...s.dims.map((d): Field => [1, d]), [2, s.dtype], [8, s.name], [9, bytesOf(s)]);
const dimsOf = (dims: readonly number[]) => message(...dims.map((d): Field => [1, message([1, d])]));
const port = (name: string, dtype: number, dims: readonly number[]) =>
  message([1, name], [2, message([1, message([1, dtype], [2, dimsOf(dims)])])]);

// y[i][j] = the sum of a[i][k] b[k][j].
function product(a: Sample, b: Sample): number[] {
  const [m = 0, k = 0] = a.dims;
  const [, n = 0] = b.dims;
  return Array.from({ length: m * n }, (_, at) => {
    let sum = 0;
    for (let i = 0; i < k; i++) {
      sum += (a.values[Math.floor(at / n) * k + i] as number) * (b.values[i * n + (at % n)] as number);
    }
    return sum;
  });
}

// One image, kernels of 3x3, a border of one pixel.
function convolution(x: Sample, w: Sample): number[] {
  const [, channels = 0, height = 0, width = 0] = x.dims;
  return Array.from({ length: (w.dims[0] as number) * height * width }, (_, at) => {
    const out = Math.floor(at / (height * width));
    const row = Math.floor(at / width) % height;
    let sum = 0;
    for (let i = 0; i < channels * 9; i++) {
      const iy = row + (Math.floor(i / 3) % 3) - 1;
      const ix = (at % width) + (i % 3) - 1;
      if (iy < 0 || ix < 0 || iy >= height || ix >= width) continue;
      const pixel = (Math.floor(i / 9) * height + iy) * width + ix;
      sum += (x.values[pixel] as number) * (w.values[out * channels * 9 + i] as number);
    }
    return sum;
  });
}

/** Runs the test in the engine, and releases it. @throws OnnxError as the test does */
export async function selfTest({ engine }: Created): Promise<void> {
  try {
    await test(engine);
  } finally {
    await engine.release(false);
  }
}

/**
 * @throws OnnxError (unsupported_platform) that says what came out wrong, or what the engine throws
 */
async function test(engine: SessionEngine): Promise<void> {
  const x = sample('x', kFloat, 1, 5, 11, 13);
  const w = sample('w', kFloat, 16, 5, 3, 3);
  const a = sample('a', kFloat, 7, 33);
  const b = sample('b', kFloat, 33, 19);
  const q = sample('q', kUint8, 7, 33);
  const s = sample('s', kInt8, 33, 19);
  const tests = [
    { op: 'Conv', inputs: [x, w], dtype: kFloat, dims: [1, 16, 11, 13], expected: convolution(x, w) },
    { op: 'MatMul', inputs: [a, b], dtype: kFloat, dims: [7, 19], expected: product(a, b) },
    { op: 'MatMulInteger', inputs: [q, s], dtype: kInt32, dims: [7, 19], expected: product(q, s) },
    {
      op: 'Sigmoid',
      inputs: [a],
      dtype: kFloat,
      dims: a.dims,
      expected: [...a.values].map((v) => 1 / (1 + Math.exp(-v))),
    },
  ];
  const pads = message([1, 'pads'], [8, 1], [8, 1], [8, 1], [8, 1], [20, 7]);
  const feeds = [x, a, q];
  const graph = message(
    ...tests.map(({ op, inputs }, i): Field => {
      const names = inputs.map(({ name }): Field => [1, name]);
      return [1, message(...names, [2, `y${i}`], [4, op], ...(op === 'Conv' ? [[5, pads] as const] : []))];
    }),
    [2, 'self_test'],
    ...[w, b, s].map((one): Field => [5, constant(one)]),
    ...feeds.map((one): Field => [11, port(one.name, one.dtype, one.dims)]),
    ...tests.map(({ dtype, dims }, i): Field => [12, port(`y${i}`, dtype, dims)]),
  );
  await engine.append(message([1, 8], [7, graph], [8, message([1, ''], [2, 13])]));
  await engine.load({ optimizationLevel: 99, winograd: true, freeDimensions: [] }, kNoFiles, undefined);
  const { outputs } = await engine.run(
    {
      feeds: feeds.map((one) => ({ dtype: one.dtype, dims: [...one.dims], data: bytesOf(one) })),
      wanted: tests.map((_, i) => i),
      targets: [],
      hold: [],
      profile: false,
    },
    undefined,
  );
  for (const [i, { op, dtype, expected }] of tests.entries()) {
    const bytes = (outputs[i] as NativeTensor).data as Uint8Array;
    const copy = bytes.slice().buffer;
    const values = dtype === kFloat ? new Float32Array(copy) : new Int32Array(copy);
    const wrong = expected.findIndex(
      (v, n) => !(Math.abs((values[n] as number) - v) <= kTolerance * (1 + Math.abs(v))),
    );
    if (wrong < 0 && values.length === expected.length) continue;
    const what = `${op} gives ${values[wrong]} for ${expected[wrong]}`;
    throw new OnnxError('unsupported_platform', `the self-test fails: ${what}`);
  }
}

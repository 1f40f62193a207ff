// What a model is fed: files and random values as the options say, and sizes for the dimensions that it leaves open.
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { arrayOf } from '../dtypes.js';
import { type InferenceSession, Tensor } from '../index.js';
import { elementsOf, encodeFloat, isFloat, isPlainNumber } from '../tools/numbers.js';
import { OpenDimensions } from '../tools/open_dimensions.js';
import { misfit } from '../tools/random.js';
import { randomTensor } from '../tools.js';
import { reasonOf, unreadable, usage } from './failure.js';
import { note, shapeText } from './output.js';
import { finite, readJson } from './values_json.js';
import { readNpy } from './values_npy.js';
import { type PixelOptions, readPng } from './values_png.js';

export interface InputOptions {
  /** NAME=file, NAME=JSON, or NAME=random, zeros or ones. */
  readonly input: readonly string[];
  /** NAME=SIZE, or INPUT:AXIS=SIZE. */
  readonly dim: readonly string[];
  readonly seed: number;
  readonly mean?: readonly number[] | undefined;
  readonly std?: readonly number[] | undefined;
}

export interface Feeds {
  readonly feeds: Readonly<Record<string, Tensor>>;
  readonly inputs: readonly { name: string; type: string; dims: readonly number[]; source: string }[];
  /** Open dimensions that took the size 1, since nothing said otherwise. */
  readonly assumed: readonly string[];
}

type Metadata = InferenceSession.TensorValueMetadata;

const listed = (names: Iterable<string>): string => [...names].map((name) => `"${name}"`).join(', ') || 'none';

/** What --dim and its like give. @throws Failure (exit code 2) */
export function sizeOf(text: string, option: string): number {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw usage(`${option}: the size must be a whole number`);
}

function pairs(texts: readonly string[], option: string, form: string): Map<string, string> {
  const result = new Map<string, string>();
  for (const text of texts) {
    // Names may hold "=": sizes never do, and names of files rarely.
    const at = option === '--dim' ? text.lastIndexOf('=') : text.indexOf('=');
    if (at <= 0 || at === text.length - 1) throw usage(`${option} ${text}: it is written ${option} ${form}`);
    if (result.has(text.slice(0, at))) throw usage(`${option} ${text.slice(0, at)} is given twice`);
    result.set(text.slice(0, at), text.slice(at + 1));
  }
  return result;
}

/** The element type that the input takes, where no value changes but by rounding of floats. Throws Error. */
export function converted(tensor: Tensor, type: Tensor.Type): Tensor {
  if (tensor.type === type) return tensor;
  // numpy has no bfloat16 and no 8-bit floats: their bits travel as integers.
  const bits = { bfloat16: 'uint16', float8: 'uint8' }[type.replace(/^(float8).*/, '$1')];
  if (bits === tensor.type) return new Tensor(type, tensor.data, tensor.dims);
  const half = type === 'float16' || type === 'bfloat16';
  const from = tensor.type;
  const numeric = !/^(string|complex)/.test(from) && (half || (isPlainNumber(type) && !type.startsWith('complex')));
  if (!numeric || (isFloat(from) && !isFloat(type))) throw new Error(`it has ${from} values, but ${type} is wanted`);
  const wide = type === 'int64' || type === 'uint64';
  const values = elementsOf(tensor) as ArrayLike<number | bigint>;
  const array = arrayOf(type) as NonNullable<ReturnType<typeof arrayOf>>;
  const coded = half && array.name === 'Uint16Array';
  const data = new array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number | bigint;
    data[i] = wide ? BigInt(value) : coded ? encodeFloat(type, Number(value)) : Number(value);
    if (!isFloat(type) && BigInt(data[i] as number) !== BigInt(value)) {
      throw new Error(`element ${i} is ${value}, which ${type} cannot hold`);
    }
  }
  return finite(new Tensor(type, data, tensor.dims), values);
}

const kWords = ['random', 'zeros', 'ones'];

function filled(type: Tensor.Type, dims: readonly number[], word: string, name: string): Tensor {
  const array = arrayOf(type);
  const one = word === 'ones';
  const half = type === 'float16' || type === 'bfloat16';
  if (!array || (!half && !isPlainNumber(type)) || (one && type.startsWith('complex'))) {
    throw usage(`--input ${name}=${word}: the values of ${type} are given in a file`);
  }
  const tensor = new Tensor(type, new array(dims.reduce((a, b) => a * b, type.startsWith('complex') ? 2 : 1)), dims);
  if (!one) return tensor;
  const coded = half && array.name === 'Uint16Array';
  const value = coded ? encodeFloat(type, 1) : /^u?int64$/.test(type) ? 1n : 1;
  (tensor.data as unknown as { fill(value: number | bigint): void }).fill(value);
  return tensor;
}

const kFiles = ['.npy', '.json', '.png'];

async function tensorFrom(path: string, metadata: Metadata, options: InputOptions): Promise<Tensor> {
  const kind = extname(path).toLowerCase();
  // Short values stand in the command itself, as JSON: sr=16000, ids=[[1,2,3]].
  if (!kFiles.includes(kind) && /^(-?\d|\[|\{|true$|false$)/.test(path)) {
    try {
      return readJson(path, metadata.type);
    } catch (error) {
      throw usage(`input "${metadata.name}": ${path}: ${(error as Error).message}`);
    }
  }
  if (!kFiles.includes(kind)) {
    throw usage(`--input ${metadata.name}=${path}: it is a .npy, .json or .png file, JSON, or random, zeros or ones`);
  }
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw unreadable(`input "${metadata.name}": cannot read ${path}: ${reasonOf(error)}`);
  }
  try {
    if (kind === '.json') return readJson(new TextDecoder().decode(bytes), metadata.type);
    const pixels: PixelOptions = { mean: options.mean ?? [0], std: options.std ?? [1] };
    if (kind === '.png') return await readPng(bytes, metadata, pixels);
    const read = readNpy(bytes);
    const tensor = converted(read, metadata.type);
    if (read.type !== metadata.type)
      note(`input "${metadata.name}": ${path} is ${read.type}; taken as ${metadata.type}`);
    return tensor;
  } catch (error) {
    throw usage(`input "${metadata.name}": ${path}: ${(error as Error).message}`);
  }
}

class Dimensions extends OpenDimensions {
  constructor(texts: readonly string[]) {
    const sizes = new Map<string, number>();
    for (const [name, text] of pairs(texts, '--dim', 'NAME=SIZE')) {
      sizes.set(name, sizeOf(text, `--dim ${name}=${text}`));
    }
    super(sizes);
  }

  /** Checks what a file gives against what the model says, and learns the sizes of its open dimensions. */
  learn(port: Metadata, dims: readonly number[], source: string): void {
    const { name, type, shape } = port;
    const have = shapeText(type, dims);
    const wrong = (why: string) => usage(`input "${name}": ${source} has the shape ${have}; ${why}`);
    if (shape.length > 0 && shape.length !== dims.length) throw wrong(`the model takes ${shapeText(type, shape)}`);
    for (const [i, dim] of shape.entries()) {
      const size = dims[i] as number;
      if (typeof dim === 'number' && dim !== size) {
        throw wrong(`dimension ${i} must be ${dim}: the model takes ${shapeText(type, shape)}`);
      }
      for (const key of this.keys(port, i)) {
        const known = this.sizes.get(key);
        this.used.add(key);
        if (known !== undefined && known !== size) throw wrong(`dimension ${i} ("${key}") is ${known} elsewhere`);
      }
      this.take(port, i, size);
    }
  }

  /** @throws Failure for a --dim that is no dimension of any input */
  checkUsed(metadata: readonly Metadata[]): void {
    const unused = [...this.sizes.keys()].find((key) => !this.used.has(key));
    if (unused === undefined) return;
    const open = metadata.flatMap(({ name, shape }) =>
      shape.flatMap((dim, i) => (typeof dim === 'number' ? [] : [dim || `${name}:${i}`])),
    );
    throw usage(
      `--dim ${unused}: the inputs have no open dimension of that name (they have: ${listed(new Set(open))})`,
    );
  }
}

function tensorsOf(metadata: readonly InferenceSession.ValueMetadata[]): Metadata[] {
  return metadata.map((port) => {
    if (port.isTensor) return port;
    throw usage(
      `input "${port.name}" takes a value of the type ${port.description}: the command line feeds tensors only`,
    );
  });
}

/** Values for all inputs of a model: those that are given, then random ones. @throws Failure (exit codes 2 and 3) */
export async function makeFeeds(session: InferenceSession, options: InputOptions): Promise<Feeds> {
  const metadata = tensorsOf(session.inputMetadata);
  const given = pairs(
    options.input,
    '--input',
    'NAME=FILE (.npy, .json, .png), NAME=JSON or NAME=random (or zeros, ones)',
  );
  const dimensions = new Dimensions(options.dim);
  for (const name of given.keys()) {
    if (!session.inputNames.includes(name)) {
      throw usage(`--input ${name}: the model has no such input (it has: ${listed(session.inputNames)})`);
    }
  }
  const feeds: Record<string, Tensor> = {};
  for (const port of metadata) {
    const source = given.get(port.name) ?? 'random';
    if (kWords.includes(source)) continue;
    const tensor = await tensorFrom(source, port, options);
    dimensions.learn(port, tensor.dims, source);
    feeds[port.name] = tensor;
  }
  const left = metadata.filter(({ name }) => !feeds[name]).map((port) => ({ ...port, dims: dimensions.dimsOf(port) }));
  dimensions.checkUsed(metadata);
  const { weights, packed } = session.memory();
  const problem = misfit([...Object.values(feeds), ...left], weights + packed);
  if (problem) throw usage(problem);
  for (const { name, type, dims } of left) {
    const word = given.get(name) ?? 'random';
    feeds[name] = word === 'random' ? randomTensor(type, dims, name, options.seed) : filled(type, dims, word, name);
  }
  const inputs = metadata.map(({ name, type }) => {
    const source = given.get(name) ?? 'random';
    return { name, type, dims: (feeds[name] as Tensor).dims, source };
  });
  return { feeds, inputs, assumed: [...dimensions.assumed] };
}

/** Says aloud which sizes were assumed. */
export function noteAssumed({ assumed }: Feeds): void {
  if (assumed.length === 0) return;
  const options = assumed.map((name) => `--dim ${name}=SIZE`).join(' ');
  note(`the model leaves dimensions open; each is taken as 1 (choose with ${options})`);
}

/** For a run's catch(): says which inputs were made up, since their values may be the reason. */
export function blamingRandom({ inputs }: Feeds): (error: unknown) => never {
  return (error) => {
    const names = inputs.filter(({ source }) => source === 'random').map(({ name }) => name);
    if (names.length > 0)
      note(`random, which may be the reason: ${listed(names)} (--input NAME=FILE gives other values)`);
    throw error;
  };
}

// Tensors from .png files. The decoder is loaded only where there is such a file.
import { type InferenceSession, Tensor } from '../index.js';
import { encodeFloat } from '../tools/numbers.js';

export interface PixelOptions {
  /** Of each channel, or of all; float inputs get (pixel / 255 - mean) / std. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

interface Layout {
  readonly channels: number;
  /** Is the channel the last dimension? */
  readonly last: boolean;
  readonly rank: number;
}

type Metadata = InferenceSession.TensorValueMetadata;

/** Where the channels are: where a dimension of 1, 3 or 4 says so; else as most models have them, [n, 3, height, width]. */
function layoutOf({ shape, type }: Metadata): Layout {
  if (!/^(float(16|32|64)|uint8)$/.test(type)) throw new Error(`a picture cannot be a tensor of ${type}`);
  const rank = shape.length;
  if (rank === 2) return { channels: 1, last: true, rank };
  if (rank !== 0 && rank !== 3 && rank !== 4) throw new Error(`a picture has 2 to 4 dimensions, the input has ${rank}`);
  const first = shape.at(-3);
  const last = shape.at(-1);
  const isCount = (dim: unknown) => dim === 1 || dim === 3 || dim === 4;
  if (isCount(first)) return { channels: first as number, last: false, rank: rank || 4 };
  if (isCount(last)) return { channels: last as number, last: true, rank };
  if (typeof first === 'number' && typeof last === 'number') {
    throw new Error('no dimension of the input is 1, 3 or 4, as a number of channels would be');
  }
  return { channels: 3, last: false, rank: rank || 4 };
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  /** 255 or 65535. */
  readonly most: number;
  readonly data: ArrayLike<number>;
}

async function decoded(bytes: Uint8Array): Promise<Picture> {
  const { decode, convertIndexedToRgb } = await import('fast-png');
  let png: ReturnType<typeof decode>;
  try {
    png = decode(bytes);
  } catch (error) {
    throw new Error(`it is no .png file, or damaged (${(error as Error).message})`);
  }
  const { width, height, depth, palette } = png;
  if (palette) {
    return { width, height, channels: palette[0]?.length ?? 3, most: 255, data: convertIndexedToRgb(png) };
  }
  if (depth < 8) throw new Error(`grey pictures of ${depth} bits are not read: save it with 8`);
  return { width, height, channels: png.channels, most: depth === 16 ? 65535 : 255, data: png.data };
}

/** Channel c (of `wanted`) of pixel i, 0 to 1. */
function sample({ data, channels, most }: Picture, i: number, c: number, wanted: number): number {
  const at = (channel: number) => (data[i * channels + channel] as number) / most;
  const colours = channels >= 3 ? 3 : 1;
  if (c === 3) return channels === colours ? 1 : at(channels - 1);
  if (colours === 1) return at(0);
  // ITU-R BT.601, as most libraries turn colours into grey.
  return wanted === 1 ? 0.299 * at(0) + 0.587 * at(1) + 0.114 * at(2) : at(c);
}

/** Red, green, blue (and alpha), 0 to 255 for uint8 and (pixel / 255 - mean) / std for floats. Throws Error. */
export async function readPng(bytes: Uint8Array, metadata: Metadata, options: PixelOptions): Promise<Tensor> {
  const { channels, last, rank } = layoutOf(metadata);
  const picture = await decoded(bytes);
  const { width, height } = picture;
  const count = width * height;
  const uint8 = metadata.type === 'uint8';
  const data = uint8 ? new Uint8Array(count * channels) : new Float64Array(count * channels);
  for (let c = 0; c < channels; c++) {
    const mean = options.mean[c] ?? options.mean[0] ?? 0;
    const std = options.std[c] ?? options.std[0] ?? 1;
    for (let i = 0; i < count; i++) {
      const value = sample(picture, i, c, channels);
      data[last ? i * channels + c : c * count + i] = uint8 ? Math.round(value * 255) : (value - mean) / std;
    }
  }
  const full = last ? [1, height, width, channels] : [1, channels, height, width];
  const dims = rank === 2 ? [height, width] : full.slice(4 - rank);
  if (uint8) return new Tensor('uint8', data as Uint8Array, dims);
  if (metadata.type === 'float64') return new Tensor('float64', data as Float64Array, dims);
  if (metadata.type === 'float32') return new Tensor('float32', Float32Array.from(data), dims);
  return new Tensor(
    'float16',
    Uint16Array.from(data, (x) => encodeFloat('float16', x)),
    dims,
  );
}

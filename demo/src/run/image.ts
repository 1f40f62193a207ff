// Images as tensors: where their height, width and channels are, and pixels as elements.
import type { PlainTensor } from '../engine/messages.js';
import { arrayOf, countOf, isFloat } from './elements.js';

export type Layout = 'NCHW' | 'NHWC';
export type Norm = 'unit' | 'signed' | 'imagenet' | 'pixels';
export type Fit = 'stretch' | 'contain' | 'cover';

export interface ImageSettings {
  readonly layout: Layout;
  readonly norm: Norm;
  readonly order: 'RGB' | 'BGR';
  readonly fit: Fit;
}

/** value = (pixel / 255 - mean) / deviation. */
export const kNorms: Readonly<
  Record<Norm, { readonly mean: readonly number[]; readonly deviation: readonly number[] }>
> = {
  unit: { mean: [0, 0, 0], deviation: [1, 1, 1] },
  signed: { mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] },
  imagenet: { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] },
  pixels: { mean: [0, 0, 0], deviation: [1 / 255, 1 / 255, 1 / 255] },
};

const isChannels = (d: number | string | undefined): boolean => d === 1 || d === 3 || d === 4;

/** Undefined where the dimensions (numbers, or names of open ones) are no image's. */
export function imageLayout(dims: readonly (number | string)[]): Layout | undefined {
  if (dims.length < 3 || dims.length > 4) return undefined;
  if (isChannels(dims.at(-3)) && !isChannels(dims.at(-1))) return 'NCHW';
  if (isChannels(dims.at(-1)) && !isChannels(dims.at(-2))) return 'NHWC';
  return isChannels(dims.at(-3)) ? 'NCHW' : undefined;
}

export interface ImageSize {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
}

export function imageSize(dims: readonly number[], layout: Layout): ImageSize {
  const [height, width, channels] = layout === 'NCHW' ? [-2, -1, -3] : [-3, -2, -1];
  return { height: dims.at(height) ?? 0, width: dims.at(width) ?? 0, channels: dims.at(channels) ?? 0 };
}

/** What the model most likely expects: by the input's type and layout, and by how many classes it tells apart. */
export function likelySettings(type: string, shape: readonly (number | string)[], classes: number): ImageSettings {
  const layout = imageLayout(shape) ?? 'NCHW';
  const float = layout === 'NHWC' ? 'signed' : classes === 1000 ? 'imagenet' : 'unit';
  return { layout, norm: isFloat(type) ? float : 'pixels', order: 'RGB', fit: 'stretch' };
}

/** A tensor of `dims` from RGBA pixels of its height and width; a batch gets the image in each place. */
export function fromPixels(
  type: string,
  dims: readonly number[],
  pixels: ArrayLike<number>,
  { layout, norm, order }: ImageSettings,
): PlainTensor {
  const { height, width, channels } = imageSize(dims, layout);
  const plane = height * width;
  const { mean, deviation } = kNorms[norm];
  const from = order === 'BGR' ? [2, 1, 0, 3] : [0, 1, 2, 3];
  const float = isFloat(type);
  const scale = [0, 1, 2, 3].map((c) => 1 / (255 * (deviation[c] ?? deviation[0])));
  const bias = [0, 1, 2, 3].map((c) => (mean[c] ?? mean[0]) / (deviation[c] ?? deviation[0]));
  const value = (i: number) => {
    const inner = i % (plane * channels);
    const c = layout === 'NCHW' ? Math.floor(inner / plane) : inner % channels;
    const at = 4 * (layout === 'NCHW' ? inner % plane : Math.floor(inner / channels));
    const v =
      channels === 1 ? 0.299 * pixels[at] + 0.587 * pixels[at + 1] + 0.114 * pixels[at + 2] : pixels[at + from[c]];
    return float ? v * scale[c] - bias[c] : v;
  };
  return { type, dims, data: arrayOf(type, countOf(dims), value) };
}

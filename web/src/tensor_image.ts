// Images of tensors, in browsers; image_pixels.ts has the way back. The options are those of onnxruntime-common.
import { invalidArgument, OnnxError, shown, withArticle } from './errors.js';
import type { Tensor } from './tensor_types.js';

export type ImageSource =
  | ImageData
  | ImageBitmap
  | HTMLImageElement
  | HTMLCanvasElement
  | HTMLVideoElement
  | OffscreenCanvas
  | VideoFrame
  | Blob
  | URL
  | string;

export type ImageFormat = 'RGB' | 'BGR' | 'RBG' | 'RGBA';

/** One number for all channels, or one for each of red, green, blue, alpha, whatever the order of the channels is. */
export type PerChannel = number | readonly number[];

export interface FromImageOptions {
  /** Channels of the tensor, in their order. @default 'RGB'; for an <img> 'RGBA', as in onnxruntime-common */
  tensorFormat?: ImageFormat;
  /** @default 'NCHW' */
  tensorLayout?: 'NCHW' | 'NHWC';
  /** @default 'float32' */
  dataType?: 'float32' | 'uint8';
  /** element = (pixel + bias) / mean, a pixel being 0 to 255. @default float32: mean 255, bias 0; uint8: 1, 0 */
  norm?: { mean?: PerChannel; bias?: PerChannel };
  resizedWidth?: number;
  resizedHeight?: number;
}

export interface ToImageOptions {
  /** Channels of the tensor, in their order; a tensor with one channel is grey. @default 'RGB' */
  format?: ImageFormat;
  /** @default 'NCHW' */
  tensorLayout?: 'NCHW' | 'NHWC';
  /** pixel = (element - bias) * mean. @default float32: mean 255, bias 0; else 1, 0 */
  norm?: { mean?: PerChannel; bias?: PerChannel };
}

const kNorms: readonly string[] = ['mean', 'bias'];

/** Throws OnnxError (invalid_argument) for what cannot be options. */
export function checkOptions(options: unknown, choices: Readonly<Record<string, readonly string[]>>): void {
  if (typeof options !== 'object' || options === null) {
    throw invalidArgument(`'options' must be an object, not ${shown(options)}`);
  }
  const given = options as Record<string, unknown>;
  for (const [name, allowed] of Object.entries(choices)) {
    if (given[name] === undefined || allowed.includes(given[name] as string)) continue;
    throw invalidArgument(`'${name}' must be ${allowed.map(shown).join(' or ')}, not ${shown(given[name])}`);
  }
  if (given.norm === undefined) return;
  if (typeof given.norm !== 'object' || given.norm === null) throw invalidArgument("'norm' must be {mean, bias}");
  for (const name of kNorms) {
    const value = (given.norm as Record<string, unknown>)[name];
    const numbers = Array.isArray(value) ? value : [value];
    if (value === undefined || numbers.every((x) => typeof x === 'number')) continue;
    throw invalidArgument(`'norm.${name}' must be a number or a list of numbers, not ${shown(value)}`);
  }
}

export const kFormats = ['RGB', 'BGR', 'RBG', 'RGBA'];
export const kLayouts = ['NCHW', 'NHWC'];

export const channelAt = (value: PerChannel | undefined, c: number, fallback: number): number =>
  (typeof value === 'number' ? value : value?.[c]) ?? fallback;

/** Where each channel of the format is among red, green, blue, alpha. */
export function channelOrder(format: string): number[] {
  return [...format].map((letter) => 'RGBA'.indexOf(letter));
}

/** The image that a tensor of 2 to 4 dimensions shows; the first of a batch. */
export function toImageData(
  type: Tensor.Type,
  data: Tensor.DataType,
  dims: readonly number[],
  options: ToImageOptions,
): ImageData {
  checkOptions(options, { format: kFormats, tensorLayout: kLayouts });
  if (typeof ImageData === 'undefined') throw new OnnxError('unsupported_platform', 'there is no ImageData here');
  const nhwc = options.tensorLayout === 'NHWC';
  const tail = dims.slice(-3);
  while (tail.length < 3) tail.splice(nhwc ? tail.length : 0, 0, 1);
  const [channels, height, width] = (nhwc ? [tail[2], tail[0], tail[1]] : tail) as [number, number, number];
  if (!ArrayBuffer.isView(data) || ![1, 3, 4].includes(channels) || width * height === 0) {
    throw invalidArgument(`${withArticle(type)}[${dims.join(', ')}] tensor is no image: it takes 1, 3 or 4 channels`);
  }
  const order = channels === 1 ? [0, 0, 0] : channelOrder(options.format ?? (channels === 4 ? 'RGBA' : 'RGB'));
  const scale = type.startsWith('float') ? 255 : 1;
  const pixels = new Uint8ClampedArray(4 * width * height).fill(255);
  for (const [c, to] of order.entries()) {
    const mean = channelAt(options.norm?.mean, to, scale);
    const bias = channelAt(options.norm?.bias, to, 0);
    const source = channels === 1 ? 0 : c;
    const target = channels === 1 ? c : to;
    const [start, step] = nhwc ? [source, channels] : [source * width * height, 1];
    for (let i = 0; i < width * height; ++i) {
      pixels[4 * i + target] = (Number((data as ArrayLike<number | bigint>)[start + i * step]) - bias) * mean;
    }
  }
  return new ImageData(pixels, width, height);
}

/** A data URL of the image (PNG); on pages only, since workers' canvases encode only asynchronously. */
export function toDataURL(image: ImageData): string {
  if (typeof document === 'undefined') throw new OnnxError('unsupported_platform', 'toDataURL() needs a page');
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
  canvas.getContext('2d')?.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

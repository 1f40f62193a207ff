// Tensors from images and back, in browsers: the options are those of onnxruntime-common.
import { invalidArgument, messageOf, OnnxError, shown } from './errors.js';
import { fetchOrFail } from './source.js';
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
  readonly tensorFormat?: ImageFormat;
  /** @default 'NCHW' */
  readonly tensorLayout?: 'NCHW' | 'NHWC';
  /** @default 'float32' */
  readonly dataType?: 'float32' | 'uint8';
  /** element = (pixel + bias) / mean, a pixel being 0 to 255. @default float32: mean 255, bias 0; uint8: 1, 0 */
  readonly norm?: { readonly mean?: PerChannel; readonly bias?: PerChannel };
  readonly resizedWidth?: number;
  readonly resizedHeight?: number;
}

export interface ToImageOptions {
  /** Channels of the tensor, in their order; a tensor with one channel is grey. @default 'RGB' */
  readonly format?: ImageFormat;
  /** @default 'NCHW' */
  readonly tensorLayout?: 'NCHW' | 'NHWC';
  /** pixel = (element - bias) * mean. @default float32: mean 255, bias 0; else 1, 0 */
  readonly norm?: { readonly mean?: PerChannel; readonly bias?: PerChannel };
}

type Canvas = OffscreenCanvas | HTMLCanvasElement;
type Context = OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D;

function canvasOf(width: number, height: number): { canvas: Canvas; context: Context } {
  let canvas: Canvas;
  if (typeof OffscreenCanvas !== 'undefined') {
    canvas = new OffscreenCanvas(width, height);
  } else if (typeof document !== 'undefined') {
    canvas = Object.assign(document.createElement('canvas'), { width, height });
  } else {
    throw noBrowser();
  }
  const context = canvas.getContext('2d', { willReadFrequently: true }) as Context | null;
  if (!context) throw new OnnxError('unsupported_platform', 'this browser gives no 2D canvas');
  return { canvas, context };
}

const isImageData = (image: unknown): image is ImageData =>
  typeof ImageData !== 'undefined' && image instanceof ImageData;

async function drawable(image: ImageSource): Promise<Exclude<ImageSource, ImageData | Blob | URL | string>> {
  if (typeof image === 'string' || image instanceof URL) {
    const response = await fetchOrFail(image);
    if (!response.ok) throw new OnnxError('load_failed', `${image}: HTTP status ${response.status}`);
    return bitmapOf(await response.blob(), String(image));
  }
  if (image instanceof Blob || isImageData(image)) return bitmapOf(image, 'the image');
  if (typeof image !== 'object' || image === null) {
    throw invalidArgument(`an image comes as an element, a bitmap, ImageData, a Blob or a URL, not as ${shown(image)}`);
  }
  return image;
}

async function bitmapOf(image: Blob | ImageData, label: string): Promise<ImageBitmap> {
  if (typeof createImageBitmap === 'undefined') throw noBrowser();
  try {
    return await createImageBitmap(image);
  } catch (error) {
    throw new OnnxError('load_failed', `${label} cannot be decoded: ${messageOf(error)}`, { cause: error });
  }
}

function noBrowser(): OnnxError {
  return new OnnxError('unsupported_platform', 'images need a browser: there is no canvas here');
}

const kNorms: readonly string[] = ['mean', 'bias'];

/** Throws OnnxError (invalid_argument) for what cannot be options. */
function checkOptions(options: unknown, choices: Readonly<Record<string, readonly string[]>>): void {
  if (typeof options !== 'object' || options === null) {
    throw invalidArgument(`'options' must be an object, not ${shown(options)}`);
  }
  const given = options as Record<string, unknown>;
  for (const [name, allowed] of Object.entries(choices)) {
    if (given[name] === undefined || allowed.includes(given[name] as string)) continue;
    throw invalidArgument(`'${name}' must be ${allowed.map(shown).join(' or ')}, not ${shown(given[name])}`);
  }
  for (const name of ['resizedWidth', 'resizedHeight']) {
    const size = given[name];
    if (size === undefined || (Number.isInteger(size) && (size as number) > 0)) continue;
    throw invalidArgument(`'${name}' must be a whole number from 1 on, not ${shown(size)}`);
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

const kFormats = ['RGB', 'BGR', 'RBG', 'RGBA'];
const kLayouts = ['NCHW', 'NHWC'];

async function imageDataOf(image: ImageSource, options: FromImageOptions): Promise<ImageData> {
  const resized = options.resizedWidth !== undefined || options.resizedHeight !== undefined;
  if (isImageData(image) && !resized) return image;
  const source = await drawable(image);
  const own = source as { naturalWidth?: number; videoWidth?: number; displayWidth?: number; width?: number };
  const tall = source as { naturalHeight?: number; videoHeight?: number; displayHeight?: number; height?: number };
  const width = options.resizedWidth ?? own.naturalWidth ?? own.videoWidth ?? own.displayWidth ?? own.width ?? 0;
  const height =
    options.resizedHeight ?? tall.naturalHeight ?? tall.videoHeight ?? tall.displayHeight ?? tall.height ?? 0;
  if (!(width > 0 && height > 0)) throw invalidArgument('the image has no size (is it loaded?)');
  const { context } = canvasOf(width, height);
  context.drawImage(source, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}

const channelAt = (value: PerChannel | undefined, c: number, fallback: number): number =>
  (typeof value === 'number' ? value : value?.[c]) ?? fallback;

/** Where each channel of the format is among red, green, blue, alpha. */
function channelOrder(format: string): number[] {
  return [...format].map((letter) => 'RGBA'.indexOf(letter));
}

/** The elements and dimensions of an image. */
export async function pixelsOf(
  image: ImageSource,
  options: FromImageOptions,
): Promise<{ data: Float32Array | Uint8Array; dims: number[] }> {
  checkOptions(options, { tensorFormat: kFormats, tensorLayout: kLayouts, dataType: ['float32', 'uint8'] });
  const { data: pixels, width, height } = await imageDataOf(image, options);
  const element = typeof HTMLImageElement !== 'undefined' && image instanceof HTMLImageElement;
  const order = channelOrder(options.tensorFormat ?? (element ? 'RGBA' : 'RGB'));
  const count = width * height;
  const float = (options.dataType ?? 'float32') === 'float32';
  const data = float ? new Float32Array(count * order.length) : new Uint8Array(count * order.length);
  const nhwc = options.tensorLayout === 'NHWC';
  for (const [c, from] of order.entries()) {
    const mean = channelAt(options.norm?.mean, from, float ? 255 : 1);
    const bias = channelAt(options.norm?.bias, from, 0);
    const [start, step] = nhwc ? [c, order.length] : [c * count, 1];
    for (let i = 0; i < count; ++i) data[start + i * step] = ((pixels[4 * i + from] as number) + bias) / mean;
  }
  return { data, dims: nhwc ? [1, height, width, order.length] : [1, order.length, height, width] };
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
    throw invalidArgument(`a ${type}[${dims.join(', ')}] tensor is no image: it takes 1, 3 or 4 channels`);
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

// The elements of tensors that are made from images, in browsers: loaded when the first one is.
import { invalidArgument, messageOf, OnnxError, shown } from './errors.js';
import { fetchOrFail, shortUrl } from './source.js';
import {
  channelAt,
  channelOrder,
  checkOptions,
  type FromImageOptions,
  type ImageSource,
  kFormats,
  kLayouts,
} from './tensor_image.js';

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
    if (!response.ok) throw new OnnxError('load_failed', `${shortUrl(image)}: HTTP status ${response.status}`);
    return bitmapOf(await response.blob(), shortUrl(image));
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

/** The elements and dimensions of an image. */
export async function pixelsOf(
  image: ImageSource,
  options: FromImageOptions,
): Promise<{ data: Float32Array | Uint8Array; dims: number[] }> {
  checkOptions(options, { tensorFormat: kFormats, tensorLayout: kLayouts, dataType: ['float32', 'uint8'] });
  for (const name of ['resizedWidth', 'resizedHeight'] as const) {
    const size: unknown = options[name];
    if (size === undefined || (Number.isInteger(size) && (size as number) > 0)) continue;
    throw invalidArgument(`'${name}' must be a whole number from 1 on, not ${shown(size)}`);
  }
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

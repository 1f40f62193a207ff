// Outputs as pictures: grey or colour images, heat maps, masks, waveforms, boxes.
import type { Numbers, Statistics } from './elements.js';
import { imageLayout, imageSize } from './image.js';

/** Viridis, by its colours at equal steps. */
const kHeat = [
  [68, 1, 84],
  [71, 44, 122],
  [59, 81, 139],
  [44, 113, 142],
  [33, 144, 141],
  [39, 173, 129],
  [92, 200, 99],
  [170, 220, 50],
  [253, 231, 37],
] as const;

/** The colour at x in [0, 1]. */
export function heatColour(x: number): [number, number, number] {
  const at = Math.max(0, Math.min(1, x)) * (kHeat.length - 1);
  const i = Math.min(kHeat.length - 2, Math.floor(at));
  const part = at - i;
  return [0, 1, 2].map((c) => kHeat[i][c] + (kHeat[i + 1][c] - kHeat[i][c]) * part) as [number, number, number];
}

/** The planes of a tensor that can be looked at: height, width, and where element (plane, y, x) is. */
export interface Planes {
  readonly height: number;
  readonly width: number;
  readonly count: number;
  /** Elements between pixels, and between planes. */
  readonly step: number;
  readonly stride: number;
}

/** Undefined where the tensor is too small or too large to be a picture. */
export function planesOf(dims: readonly number[]): Planes | undefined {
  if (dims.length < 2 || dims.length > 4) return undefined;
  const layout = dims.length === 2 ? undefined : (imageLayout(dims) ?? 'NCHW');
  const { height, width, channels } = layout
    ? imageSize(dims, layout)
    : { height: dims[0], width: dims[1], channels: 1 };
  if (height < 8 || width < 8 || width * height > 2 ** 24) return undefined;
  const [step, stride] = layout === 'NHWC' ? [channels, 1] : [1, width * height];
  return { height, width, count: channels, step, stride };
}

export type Pixel = (p: number, data: Uint8ClampedArray) => void;

function paint(canvas: HTMLCanvasElement, { width, height }: Planes, pixel: Pixel): void {
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  if (!context) return;
  const image = context.createImageData(width, height);
  for (let p = 0; p < width * height; ++p) {
    image.data[4 * p + 3] = 255;
    pixel(p, image.data);
  }
  context.putImageData(image, 0, 0);
}

/** The first image: its smallest element black, its largest white. */
export function drawImage(canvas: HTMLCanvasElement, numbers: Numbers, planes: Planes, { min, max }: Statistics): void {
  const scale = max > min ? 255 / (max - min) : 0;
  const colours = planes.count >= 3 ? [0, 1, 2] : [0, 0, 0];
  paint(canvas, planes, (p, data) => {
    for (let c = 0; c < 3; ++c) {
      data[4 * p + c] = (Number(numbers[p * planes.step + colours[c] * planes.stride]) - min) * scale;
    }
  });
}

export function drawHeat(
  canvas: HTMLCanvasElement,
  numbers: Numbers,
  planes: Planes,
  { min, max }: Statistics,
  plane: number,
): void {
  const scale = max > min ? 1 / (max - min) : 0;
  const table = Array.from({ length: 256 }, (_, i) => heatColour(i / 255));
  paint(canvas, planes, (p, data) => {
    const value = (Number(numbers[p * planes.step + plane * planes.stride]) - min) * scale;
    data.set(table[Math.max(0, Math.min(255, Math.round(255 * value)))] ?? table[0], 4 * p);
  });
}

/** Pixels from the threshold on in colour over the picture; of several planes, the one with the largest value colours. */
export function drawMask(
  canvas: HTMLCanvasElement,
  numbers: Numbers,
  planes: Planes,
  threshold: number,
  picture: CanvasImageSource | undefined,
): void {
  paint(canvas, planes, (p, data) => {
    let best = 0;
    for (let c = 1; c < planes.count; ++c) {
      if (numbers[p * planes.step + c * planes.stride] > numbers[p * planes.step + best * planes.stride]) best = c;
    }
    const inside = planes.count > 1 ? best > 0 : Number(numbers[p * planes.step]) >= threshold;
    data.set(inside ? heatColour(planes.count > 1 ? best / planes.count : 0.75) : [0, 0, 0], 4 * p);
    data[4 * p + 3] = inside ? 150 : picture ? 0 : 255;
  });
  if (!picture) return;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.globalCompositeOperation = 'destination-over';
  context.drawImage(picture, 0, 0, planes.width, planes.height);
}

/** One line, its lowest value at the bottom. */
export function drawWave(canvas: HTMLCanvasElement, numbers: Numbers, { min, max }: Statistics): void {
  const [width, height] = [800, 160];
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  if (!context) return;
  const style = getComputedStyle(document.documentElement);
  context.strokeStyle = style.getPropertyValue('--accent') || '#c2410c';
  context.lineWidth = 1.5;
  const scale = max > min ? (height - 8) / (max - min) : 0;
  const y = (value: number) => height - 4 - (value - min) * scale;
  const per = numbers.length / width;
  context.beginPath();
  for (let x = 0; x < width; ++x) {
    const begin = Math.floor(x * per);
    const end = Math.max(begin + 1, Math.floor((x + 1) * per));
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = begin; i < end && i < numbers.length; ++i) {
      low = Math.min(low, Number(numbers[i]));
      high = Math.max(high, Number(numbers[i]));
    }
    context.lineTo(x, y(high));
    if (low < high) context.lineTo(x, y(low));
  }
  context.stroke();
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly text?: string;
}

/** Boxes (as parts of the picture's sides, 0 to 1) over the picture. */
export function drawBoxes(
  canvas: HTMLCanvasElement,
  picture: CanvasImageSource | undefined,
  width: number,
  height: number,
  boxes: readonly Box[],
): void {
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  if (!context) return;
  context.fillStyle = '#888';
  if (picture) context.drawImage(picture, 0, 0, width, height);
  else context.fillRect(0, 0, width, height);
  context.lineWidth = Math.max(2, width / 300);
  context.font = `600 ${Math.max(12, Math.round(width / 40))}px system-ui, sans-serif`;
  for (const [i, box] of boxes.entries()) {
    const [r, g, b] = heatColour(0.35 + (0.6 * (i % 7)) / 6);
    const colour = `rgb(${r} ${g} ${b})`;
    context.strokeStyle = colour;
    context.strokeRect(box.x * width, box.y * height, box.width * width, box.height * height);
    if (!box.text) continue;
    context.fillStyle = colour;
    context.fillText(box.text, box.x * width, box.y * height - 4);
  }
}

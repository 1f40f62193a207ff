// Reading text: PP-OCR's detector finds lines of text, its reader reads each of them.
import { type InferenceSession, Tensor } from 'sardonyx';
import { fromPixels, type ImageSettings } from '../run/image.js';
import type { Finding } from './messages.js';
import { drawnPixels } from './picture.js';

const kMostSide = 960;
/** Of the detector's map: a pixel is text, and a box of pixels is. */
const kPixel = 0.3;
const kBox = 0.5;
/** The detector marks the inner part of a line; PP-OCR grows it by area * ratio / perimeter. */
const kGrow = 1.6;
const kReaderHeight = 48;

const kDetector: ImageSettings = { layout: 'NCHW', norm: 'imagenet', order: 'BGR', fit: 'stretch' };
const kReader: ImageSettings = { layout: 'NCHW', norm: 'signed', order: 'BGR', fit: 'stretch' };

interface Region {
  left: number;
  top: number;
  right: number;
  bottom: number;
  sum: number;
  count: number;
}

/** The connected regions of pixels that are text. */
function regionsOf(map: Float32Array, width: number, height: number): Region[] {
  const seen = new Uint8Array(map.length);
  const regions: Region[] = [];
  const stack: number[] = [];
  const visit = (at: number) => {
    if (seen[at] || map[at] < kPixel) return;
    seen[at] = 1;
    stack.push(at);
  };
  for (let start = 0; start < map.length; ++start) {
    visit(start);
    if (stack.length === 0) continue;
    const region = { left: width, top: height, right: 0, bottom: 0, sum: 0, count: 0 };
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      region.left = Math.min(region.left, x);
      region.right = Math.max(region.right, x + 1);
      region.top = Math.min(region.top, y);
      region.bottom = Math.max(region.bottom, y + 1);
      region.sum += map[at];
      ++region.count;
      if (x > 0) visit(at - 1);
      if (x + 1 < width) visit(at + 1);
      if (y > 0) visit(at - width);
      if (y + 1 < height) visit(at + width);
    }
    regions.push(region);
  }
  return regions;
}

/** Lines of text as [left, top, width, height] in pixels of the picture, in reading order. */
async function linesOf(detector: InferenceSession, picture: ImageBitmap): Promise<number[][]> {
  const scale = Math.min(1, kMostSide / Math.max(picture.width, picture.height));
  const side = (size: number) => Math.max(32, 32 * Math.round((size * scale) / 32));
  const [width, height] = [side(picture.width), side(picture.height)];
  const input = fromPixels('float32', [1, 3, height, width], drawnPixels(picture, width, height), kDetector);
  const tensor = new Tensor('float32', input.data as Float32Array, input.dims);
  const outputs = await detector.run({ [detector.inputNames[0]]: tensor });
  const map = outputs[detector.outputNames[0]].data as Float32Array;
  const [sx, sy] = [picture.width / width, picture.height / height];
  return regionsOf(map, width, height)
    .filter(({ left, right, top, bottom, sum, count }) => {
      return Math.min(right - left, bottom - top) >= 3 && sum / count >= kBox;
    })
    .map(({ left, right, top, bottom }) => {
      const [w, h] = [right - left, bottom - top];
      const grow = (w * h * kGrow) / (2 * (w + h));
      const x = Math.max(0, (left - grow) * sx);
      const y = Math.max(0, (top - grow) * sy);
      const far = [Math.min(picture.width, (right + grow) * sx), Math.min(picture.height, (bottom + grow) * sy)];
      return [x, y, far[0] - x, far[1] - y];
    })
    .sort((a, b) => (Math.abs(a[1] - b[1]) > Math.min(a[3], b[3]) / 2 ? a[1] - b[1] : a[0] - b[0]));
}

/** The best letters step by step (CTC): class 0 is the blank, then come the dictionary's lines, then the space. */
function lettersOf(data: Float32Array, steps: number, classes: number, letters: readonly string[]) {
  let text = '';
  let sum = 0;
  let count = 0;
  let before = 0;
  for (let t = 0; t < steps; ++t) {
    let best = 0;
    for (let c = 1; c < classes; ++c) if (data[t * classes + c] > data[t * classes + best]) best = c;
    if (best !== 0 && best !== before) {
      text += letters[best - 1] ?? '';
      sum += data[t * classes + best];
      ++count;
    }
    before = best;
  }
  return { text, score: count > 0 ? sum / count : 0 };
}

async function readLine(reader: InferenceSession, picture: ImageBitmap, line: readonly number[], letters: string[]) {
  const width = Math.max(32, Math.min(2400, 8 * Math.ceil((kReaderHeight * line[2]) / line[3] / 8)));
  const pixels = drawnPixels(picture, width, kReaderHeight, line);
  const input = fromPixels('float32', [1, 3, kReaderHeight, width], pixels, kReader);
  const tensor = new Tensor('float32', input.data as Float32Array, input.dims);
  const outputs = await reader.run({ [reader.inputNames[0]]: tensor });
  const { data, dims } = outputs[reader.outputNames[0]];
  return lettersOf(data as Float32Array, dims[1], dims[2], letters);
}

/** `dictionary`: one letter per line. */
export async function readText(
  detector: InferenceSession,
  reader: InferenceSession,
  dictionary: string,
  picture: ImageBitmap,
): Promise<Finding[]> {
  const letters = [...dictionary.trimEnd().split(/\r?\n/), ' '];
  const found: Finding[] = [];
  for (const line of await linesOf(detector, picture)) {
    const { text, score } = await readLine(reader, picture, line, letters);
    if (text.trim() === '') continue;
    const [x, y, width, height] = line;
    found.push({ kind: 'box', x, y, width, height, text, score });
  }
  return found;
}

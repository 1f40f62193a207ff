// Line segments: M-LSD gives for each centre of a segment its score and the way to its two ends.
import { type InferenceSession, Tensor } from 'sardonyx';
import type { Finding } from './messages.js';
import { drawnPixels } from './picture.js';

const kSide = 320;
const kCells = 160;
const kLeast = 0.2;
/** Parts of the picture's side. */
const kShortest = 0.04;

export async function findLines(session: InferenceSession, picture: ImageBitmap): Promise<Finding[]> {
  const pixels = drawnPixels(picture, kSide, kSide);
  // Red, green, blue as they are; the fourth channel is 1.
  const input = Float32Array.from(pixels, (value, i) => (i % 4 === 3 ? 1 : value));
  const tensor = new Tensor('float32', input, [1, kSide, kSide, 4]);
  const outputs = await session.run({ [session.inputNames[0]]: tensor });
  const scores = outputs.scores.data as Float32Array;
  const offsets = outputs.offsets.data as Float32Array;
  const found: Finding[] = [];
  const [sx, sy] = [picture.width / kCells, picture.height / kCells];
  for (const [i, score] of scores.entries()) {
    if (score < kLeast) continue;
    const [x, y] = [i % kCells, Math.floor(i / kCells)];
    const [x1, y1, x2, y2] = offsets.subarray(4 * i, 4 * i + 4);
    if (Math.hypot(x2 - x1, y2 - y1) < kShortest * kCells) continue;
    found.push({
      kind: 'line',
      x: (x + x1) * sx,
      y: (y + y1) * sy,
      x2: (x + x2) * sx,
      y2: (y + y2) * sy,
      text: '',
      score,
    });
  }
  return found;
}

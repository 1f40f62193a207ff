// Faces: BlazeFace gives offsets from fixed places, of which the likely ones are faces.
import { type InferenceSession, Tensor } from 'sardonyx';
import { suppress } from '../run/boxes.js';
import { fromPixels } from '../run/image.js';
import type { Finding } from './messages.js';
import { drawnPixels } from './picture.js';

const kSide = 128;
const kLeast = 0.6;
/** Its two maps: cells per side, places per cell, the outputs with scores and with boxes. */
const kMaps = [
  [16, 2, 'Identity:0', 'Identity_2:0'],
  [8, 6, 'Identity_1:0', 'Identity_3:0'],
] as const;
/** Of a place: the box, then six points (eyes, nose, mouth, ears). */
const kFields = 16;

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

export async function findFaces(session: InferenceSession, picture: ImageBitmap): Promise<Finding[]> {
  // The whole picture in a square, so that faces keep their shape.
  const side = Math.max(picture.width, picture.height);
  const pixels = drawnPixels(picture, kSide, kSide, [0, 0, side, side]);
  const settings = { layout: 'NHWC', norm: 'signed', order: 'RGB', fit: 'stretch' } as const;
  const { data, dims } = fromPixels('float32', [1, kSide, kSide, 3], pixels, settings);
  const tensor = new Tensor('float32', data as Float32Array, dims);
  const outputs = await session.run({ [session.inputNames[0]]: tensor });
  const found: (Finding & { kind: 'box' })[] = [];
  const scale = side / kSide;
  for (const [cells, places, scores, boxes] of kMaps) {
    const likely = outputs[scores].data as Float32Array;
    const fields = outputs[boxes].data as Float32Array;
    for (const [i, value] of likely.entries()) {
      const score = sigmoid(value);
      if (score < kLeast) continue;
      const cell = Math.floor(i / places);
      const centre = [cell % cells, Math.floor(cell / cells)].map((at) => ((at + 0.5) * kSide) / cells);
      const [dx, dy, width, height] = fields.subarray(i * kFields, i * kFields + 4);
      const x = (centre[0] + dx - width / 2) * scale;
      const y = (centre[1] + dy - height / 2) * scale;
      found.push({ kind: 'box', x, y, width: width * scale, height: height * scale, text: '', score });
    }
  }
  return suppress(found, 0.3);
}

// Boxes out of a detector's rows, and non-maximum suppression.
import type { Box } from './drawing.js';
import type { Numbers } from './elements.js';

/** Corners, or centre and size; in pixels or as parts of the sides. */
export type BoxFormat = 'xyxy' | 'cxcywh' | 'yxyx' | 'xywh';

/** How much of two boxes is common to both: their intersection over their union. */
export function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const common = width * height;
  return common / (a.width * a.height + b.width * b.height - common);
}

/** The boxes in order of their score, without those that overlap a better one by more than `most`. */
export function suppress<T extends Box & { readonly score: number }>(boxes: readonly T[], most = 0.45): T[] {
  const kept: T[] = [];
  for (const box of boxes.toSorted((a, b) => b.score - a.score)) {
    if (kept.every((other) => overlap(other, box) <= most)) kept.push(box);
    if (kept.length >= 300) break;
  }
  return kept;
}

function boxOf([a, b, c, d]: readonly number[], format: BoxFormat): Box {
  if (format === 'xyxy') return { x: a, y: b, width: c - a, height: d - b };
  if (format === 'yxyx') return { x: b, y: a, width: d - b, height: c - a };
  if (format === 'xywh') return { x: a, y: b, width: c, height: d };
  return { x: a - c / 2, y: b - d / 2, width: c, height: d };
}

/**
 * Rows of [4 of the box, scores of the classes...], or of [4 of the box, score, class]: a tensor [.., rows, columns] or, where there are more columns than
 * rows, [.., columns, rows] as YOLO's exports have it. Pixels are divided by the sides of the input.
 */
export function detections(
  numbers: Numbers,
  dims: readonly number[],
  { format, threshold, width, height }: { format: BoxFormat; threshold: number; width: number; height: number },
): (Box & { readonly score: number; readonly kind: number })[] {
  const [rows, columns] = [dims.at(-2) ?? 0, dims.at(-1) ?? 0];
  const turned = columns > rows && rows >= 5;
  const count = turned ? columns : rows;
  const fields = turned ? rows : columns;
  const at = (row: number, field: number) =>
    Number(numbers[turned ? field * columns + row : row * columns + field] ?? 0);
  const list = Array.from({ length: count }, (_, row) => row);
  const named =
    fields === 6 &&
    list.every((row) => Number.isInteger(at(row, 5)) && at(row, 4) <= 1) &&
    list.some((row) => at(row, 5) > 1 || !Number.isInteger(at(row, 4)));
  const found: (Box & { score: number; kind: number })[] = [];
  let largest = 0;
  for (let row = 0; row < count; ++row) {
    const box = boxOf(
      [0, 1, 2, 3].map((field) => at(row, field)),
      format,
    );
    let [score, kind] = [fields > 4 ? 0 : 1, 0];
    if (named) [score, kind] = [at(row, 4), at(row, 5)];
    for (let field = named ? fields : 4; field < fields; ++field) {
      if (at(row, field) > score) [score, kind] = [at(row, field), field - 4];
    }
    if (score < threshold) continue;
    largest = Math.max(largest, box.x + box.width, box.y + box.height);
    found.push({ ...box, score, kind });
  }
  // Numbers well over 1 are pixels.
  const [sx, sy] = largest > 2 ? [width, height] : [1, 1];
  const scaled = found.map((box) => ({
    ...box,
    x: box.x / sx,
    width: box.width / sx,
    y: box.y / sy,
    height: box.height / sy,
  }));
  return suppress(scaled);
}

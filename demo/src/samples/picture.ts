// Pictures in the samples' worker: drawn to a size, as pixels.

/** RGBA pixels of a part of the picture, drawn to a size. */
export function drawnPixels(
  picture: ImageBitmap,
  width: number,
  height: number,
  [left, top, w, h]: readonly number[] = [0, 0, picture.width, picture.height],
): Uint8ClampedArray {
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('there is no canvas to draw the picture with');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  context.drawImage(picture, left, top, w, h, 0, 0, width, height);
  return context.getImageData(0, 0, width, height).data;
}

// A picture as the pixels that a model gets, and as they are seen.
import { t } from '../i18n/index.js';
import type { Fit } from './image.js';

export type Drawable = ImageBitmap | HTMLVideoElement | HTMLCanvasElement;

/** The picture as RGBA pixels of the wanted size, drawn into `canvas`, where it can be seen. @throws Error beyond a canvas's size */
export function pixelsOf(picture: Drawable, canvas: HTMLCanvasElement, width: number, height: number, fit: Fit) {
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error(t('noCanvas', { width, height }));
  const w = 'videoWidth' in picture ? picture.videoWidth : picture.width;
  const h = 'videoHeight' in picture ? picture.videoHeight : picture.height;
  const scales = [width / w, height / h] as const;
  const scale = fit === 'contain' ? Math.min(...scales) : Math.max(...scales);
  const [drawn, tall] = fit === 'stretch' ? [width, height] : [w * scale, h * scale];
  try {
    context.drawImage(picture, (width - drawn) / 2, (height - tall) / 2, drawn, tall);
    return context.getImageData(0, 0, width, height).data;
  } catch {
    throw new Error(t('noCanvas', { width, height }));
  }
}

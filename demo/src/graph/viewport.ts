// Where one looks at a scene: pan, zoom, fit, and what is under a point.
import type { Viewport } from './draw.js';
import type { Scene } from './scene.js';

export const kMostScale = 4;
const kMargin = 24;

/** The least scale: the whole scene in a quarter of the canvas. */
function leastScale(scene: Scene, width: number, height: number): number {
  return Math.min(0.25, width / (scene.width + 1) / 2, height / (scene.height + 1) / 2);
}

export function fit(scene: Scene, width: number, height: number): Viewport {
  const scale = Math.min(
    1.25,
    (width - 2 * kMargin) / (scene.width || 1),
    (height - 2 * kMargin) / (scene.height || 1),
  );
  const safe = Math.max(scale, 1e-5);
  return { scale: safe, x: scene.width / 2 - width / 2 / safe, y: scene.height / 2 - height / 2 / safe };
}

/** The beginning of the graph, large enough to be read. */
export function start(scene: Scene, width: number, height: number): Viewport {
  const whole = fit(scene, width, height);
  if (whole.scale >= 0.6) return whole;
  const scale = Math.max(0.75, Math.min(1, (width - 2 * kMargin) / scene.width));
  const first = scene.boxes.length >= 4 ? scene.boxes[0] + scene.boxes[2] / 2 : scene.width / 2;
  const centre = scene.width * scale < width ? scene.width / 2 : first;
  return { scale, x: centre - width / 2 / scale, y: -kMargin / scale };
}

/** The viewport, moved so that some of the scene is in it. */
export function kept({ scale, x, y }: Viewport, scene: Scene, width: number, height: number): Viewport {
  const least = Math.min(80, width / 4, height / 4) / scale;
  const between = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));
  return {
    scale,
    x: between(x, least - width / scale, scene.width - Math.min(least, scene.width / 2)),
    y: between(y, least - height / scale, scene.height - Math.min(least, scene.height / 2)),
  };
}

/** Zooms by `factor` around a point of the canvas. */
export function zoom(
  port: Viewport,
  factor: number,
  x: number,
  y: number,
  scene: Scene,
  size: [number, number],
): Viewport {
  const scale = Math.max(leastScale(scene, ...size), Math.min(kMostScale, port.scale * factor));
  return { scale, x: port.x + x / port.scale - x / scale, y: port.y + y / port.scale - y / scale };
}

/** The viewport with the box in its middle, and readable. */
export function centreOn(scene: Scene, item: number, port: Viewport, width: number, height: number): Viewport {
  const [x, y, w, h] = scene.boxes.subarray(4 * item, 4 * item + 4);
  const scale = Math.max(port.scale, 0.7);
  return { scale, x: x + w / 2 - width / 2 / scale, y: y + Math.min(h, 40) / 2 - height / 2 / scale };
}

export function isInView(scene: Scene, item: number, port: Viewport, width: number, height: number): boolean {
  const [x, y, w, h] = scene.boxes.subarray(4 * item, 4 * item + 4);
  if (port.scale < 0.4) return false;
  const inX = x >= port.x && x + w <= port.x + width / port.scale;
  return inX && y >= port.y && y + Math.min(h, 40) <= port.y + height / port.scale;
}

/** The innermost box at a point of the canvas. */
export function itemAt(scene: Scene, port: Viewport, x: number, y: number): number | undefined {
  const [sx, sy] = [port.x + x / port.scale, port.y + y / port.scale];
  const { boxes } = scene;
  for (let i = boxes.length / 4 - 1; i >= 0; --i) {
    const b = 4 * i;
    if (sx >= boxes[b] && sx <= boxes[b] + boxes[b + 2] && sy >= boxes[b + 1] && sy <= boxes[b + 1] + boxes[b + 3]) {
      return i;
    }
  }
  return undefined;
}

/** The nearest box in a direction along the arrows: 'up' to what feeds it, 'down' to what it feeds, else beside it. */
export function neighbour(scene: Scene, item: number, way: 'up' | 'down' | 'left' | 'right'): number | undefined {
  const { from, to, boxes } = scene;
  if (way === 'up' || way === 'down') {
    const [here, there] = way === 'up' ? [to, from] : [from, to];
    const at = here.indexOf(item);
    return at < 0 ? undefined : there[at];
  }
  const [x, y] = [boxes[4 * item], boxes[4 * item + 1]];
  let best: number | undefined;
  for (let i = 0; i < boxes.length / 4; ++i) {
    const dx = boxes[4 * i] - x;
    if (i === item || Math.abs(boxes[4 * i + 1] - y) > 60 || (way === 'left' ? dx >= 0 : dx <= 0)) continue;
    if (best === undefined || Math.abs(dx) < Math.abs(boxes[4 * best] - x)) best = i;
  }
  return best;
}

// Draws the part of a scene that is in view, with as much detail as its scale has room for.
import type { Scene, SceneItem } from './scene.js';

export interface Viewport {
  /** Pixels of the page per unit of the scene. */
  scale: number;
  /** The corner of the canvas in the scene. */
  x: number;
  y: number;
}

export interface Look {
  readonly page: string;
  readonly card: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly accent: string;
  /** By the places of kCategories. */
  readonly categories: readonly string[];
}

export interface Marks {
  readonly selected: string | undefined;
  /** The part of the time that a node takes, 0 to 1, as a colour; undefined: colours by category. */
  readonly heat: ((key: string) => string | undefined) | undefined;
  /** What is written on an arrow. */
  readonly edgeText: (value: string, item: SceneItem) => string;
}

const kBody = 11;
const kTextScale = 0.42;
const kEdgeTextScale = 0.75;
/** From so many arrows in view on, they are straight lines. */
const kMostCurves = 3000;

/** Left, top, right, bottom of each arrow. */
export function edgeBounds({ boxes, from, to, routes }: Scene): Float32Array {
  const bounds = new Float32Array(4 * from.length);
  for (let e = 0; e < from.length; ++e) {
    const [a, b] = [4 * from[e], 4 * to[e]];
    let left = Math.min(boxes[a], boxes[b]);
    let right = Math.max(boxes[a] + boxes[a + 2], boxes[b] + boxes[b + 2]);
    let top = Math.min(boxes[a + 1], boxes[b + 1]);
    let bottom = Math.max(boxes[a + 1] + boxes[a + 3], boxes[b + 1]);
    const route = routes[e];
    for (let i = 0; i < route.length; i += 2) {
      left = Math.min(left, route[i]);
      right = Math.max(right, route[i]);
      top = Math.min(top, route[i + 1]);
      bottom = Math.max(bottom, route[i + 1]);
    }
    bounds.set([left, top, right, bottom], 4 * e);
  }
  return bounds;
}

export class Painter {
  readonly #context: CanvasRenderingContext2D;
  readonly #scene: Scene;
  readonly #bounds: Float32Array;

  constructor(context: CanvasRenderingContext2D, scene: Scene) {
    this.#context = context;
    this.#scene = scene;
    this.#bounds = edgeBounds(scene);
  }

  /** `width` and `height`: of the canvas, in pixels of the page. */
  draw(port: Viewport, width: number, height: number, ratio: number, look: Look, marks: Marks): void {
    const context = this.#context;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = look.page;
    context.fillRect(0, 0, width, height);
    const { scale } = port;
    context.setTransform(ratio * scale, 0, 0, ratio * scale, -port.x * scale * ratio, -port.y * scale * ratio);
    const view = [port.x, port.y, port.x + width / scale, port.y + height / scale] as const;
    const items = this.#visible(view);
    const frames = items.filter((i) => this.#scene.items[i].fold === 'open');
    for (const i of frames) this.#frame(i, look, marks);
    this.#edges(view, scale, look, marks);
    const boxes = items.filter((i) => this.#scene.items[i].fold !== 'open');
    if (scale < 0.12) this.#specks(boxes, scale, look, marks);
    else for (const i of boxes) this.#box(i, scale, look, marks);
  }

  #visible([left, top, right, bottom]: readonly [number, number, number, number]): number[] {
    const { boxes } = this.#scene;
    const found: number[] = [];
    for (let i = 0, b = 0; b < boxes.length; ++i, b += 4) {
      if (boxes[b] > right || boxes[b + 1] > bottom) continue;
      if (boxes[b] + boxes[b + 2] >= left && boxes[b + 1] + boxes[b + 3] >= top) found.push(i);
    }
    return found;
  }

  #colour(item: SceneItem, look: Look, { heat }: Marks): string {
    return (heat ? heat(item.key) : look.categories[item.category]) ?? look.line;
  }

  /** Far away: all boxes of one colour at once, none smaller than a pixel. */
  #specks(items: readonly number[], scale: number, look: Look, marks: Marks): void {
    const { boxes, items: all } = this.#scene;
    const least = 1 / scale;
    const byColour = new Map<string, number[]>();
    for (const i of items) {
      const colour = this.#colour(all[i], look, marks);
      const list = byColour.get(colour);
      if (list) list.push(i);
      else byColour.set(colour, [i]);
    }
    for (const [colour, list] of byColour) {
      this.#context.fillStyle = colour;
      for (const i of list) {
        const b = 4 * i;
        this.#context.fillRect(boxes[b], boxes[b + 1], Math.max(boxes[b + 2], least), Math.max(boxes[b + 3], least));
      }
    }
    const selected = items.find((i) => all[i].key === marks.selected);
    if (selected !== undefined) this.#outline(selected, 4 / scale, look);
  }

  #outline(i: number, width: number, look: Look): void {
    const { boxes } = this.#scene;
    this.#context.strokeStyle = look.accent;
    this.#context.lineWidth = width;
    this.#context.strokeRect(boxes[4 * i], boxes[4 * i + 1], boxes[4 * i + 2], boxes[4 * i + 3]);
  }

  #frame(i: number, look: Look, marks: Marks): void {
    const context = this.#context;
    const { boxes, items } = this.#scene;
    const [x, y, w, h] = boxes.subarray(4 * i, 4 * i + 4);
    context.fillStyle = look.card;
    context.beginPath();
    context.roundRect(x, y, w, h, 8);
    context.globalAlpha = 0.6;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = items[i].key === marks.selected ? look.accent : this.#colour(items[i], look, marks);
    context.lineWidth = items[i].key === marks.selected ? 3 : 1.5;
    context.stroke();
    context.fillStyle = look.ink;
    context.font = '600 12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillText(`− ${items[i].title}`, x + 10, y + 14);
  }

  #box(i: number, scale: number, look: Look, marks: Marks): void {
    const context = this.#context;
    const { boxes, items } = this.#scene;
    const item = items[i];
    const [x, y, w, h] = boxes.subarray(4 * i, 4 * i + 4);
    const round = item.kind === 'node' ? 5 : h / 2;
    context.beginPath();
    context.roundRect(x, y, w, h, round);
    context.fillStyle = item.lines.length > 0 ? look.card : this.#colour(item, look, marks);
    context.fill();
    if (item.lines.length > 0) {
      context.fillStyle = this.#colour(item, look, marks);
      context.beginPath();
      context.roundRect(x, y, w, 27, [round, round, 0, 0]);
      context.fill();
    }
    if (item.key === marks.selected) {
      context.beginPath();
      context.roundRect(x - 2, y - 2, w + 4, h + 4, round + 2);
      context.strokeStyle = look.accent;
      context.lineWidth = Math.max(3, 2 / scale);
      context.stroke();
    } else if (item.lines.length > 0) {
      context.beginPath();
      context.roundRect(x, y, w, h, round);
      context.strokeStyle = look.line;
      context.lineWidth = 1;
      context.stroke();
    }
    if (scale >= kTextScale) this.#text(item, x, y, w, look, marks);
  }

  #text(item: SceneItem, x: number, y: number, w: number, look: Look, marks: Marks): void {
    const context = this.#context;
    context.textBaseline = 'middle';
    context.font = '600 12px system-ui, sans-serif';
    // Heat colours are light; the categories' are dark enough for white.
    context.fillStyle = marks.heat ? '#1d1b19' : item.kind === 'node' ? '#ffffff' : look.ink;
    const title = item.fold === 'closed' ? `+ ${item.title}` : item.title;
    context.textAlign = 'center';
    context.fillText(title, x + w / 2, y + 14, w - 12);
    context.textAlign = 'left';
    if (item.lines.length === 0) return;
    context.font = `${kBody}px ui-monospace, monospace`;
    context.fillStyle = look.soft;
    for (const [l, line] of item.lines.entries()) context.fillText(line, x + 9, y + 38 + 15 * l, w - 16);
  }

  #edges(
    [left, top, right, bottom]: readonly [number, number, number, number],
    scale: number,
    look: Look,
    marks: Marks,
  ): void {
    const context = this.#context;
    const bounds = this.#bounds;
    const { items, from, to } = this.#scene;
    const seen: number[] = [];
    for (let e = 0, b = 0; e < from.length; ++e, b += 4) {
      if (bounds[b] > right || bounds[b + 1] > bottom || bounds[b + 2] < left || bounds[b + 3] < top) continue;
      seen.push(e);
    }
    const straight = seen.length > kMostCurves || scale < 0.12;
    // Where boxes are specks, a part of so many lines is as dense.
    const step = scale < 0.04 ? Math.max(1, Math.floor(seen.length / 6000)) : 1;
    const own = (e: number) => items[from[e]].key === marks.selected || items[to[e]].key === marks.selected;
    context.strokeStyle = look.line;
    context.lineWidth = Math.max(1.2, 0.6 / scale);
    context.beginPath();
    for (let s = 0; s < seen.length; s += step) this.#path(seen[s], straight);
    context.stroke();
    if (marks.selected !== undefined) {
      context.strokeStyle = look.accent;
      context.lineWidth = Math.max(2, 1.5 / scale);
      context.beginPath();
      for (const e of seen) if (own(e)) this.#path(e, straight);
      context.stroke();
    }
    if (straight) return;
    context.fillStyle = look.soft;
    for (const e of seen) this.#head(e);
    if (scale >= kEdgeTextScale) for (const e of seen) this.#edgeText(e, look, marks);
  }

  /** The points of an arrow, from the box that it leaves to the one that it reaches. */
  #points(e: number): number[] {
    const { boxes, from, to, routes } = this.#scene;
    const [a, b] = [4 * from[e], 4 * to[e]];
    const start = [boxes[a] + boxes[a + 2] / 2, boxes[a + 1] + boxes[a + 3]];
    return [...start, ...routes[e], boxes[b] + boxes[b + 2] / 2, boxes[b + 1]];
  }

  #path(e: number, straight: boolean): void {
    const context = this.#context;
    const points = this.#points(e);
    context.moveTo(points[0], points[1]);
    for (let i = 2; i < points.length; i += 2) {
      const [x0, y0, x1, y1] = points.slice(i - 2, i + 2);
      const middle = (y0 + y1) / 2;
      if (straight) context.lineTo(x1, y1);
      else context.bezierCurveTo(x0, middle, x1, middle, x1, y1);
    }
  }

  #head(e: number): void {
    const { boxes, to } = this.#scene;
    const b = 4 * to[e];
    const [x, y] = [boxes[b] + boxes[b + 2] / 2, boxes[b + 1]];
    this.#context.beginPath();
    this.#context.moveTo(x, y);
    this.#context.lineTo(x - 3.5, y - 7);
    this.#context.lineTo(x + 3.5, y - 7);
    this.#context.fill();
  }

  #edgeText(e: number, look: Look, marks: Marks): void {
    const { values, items, from } = this.#scene;
    const text = marks.edgeText(values[e], items[from[e]]);
    if (!text) return;
    const points = this.#points(e);
    const [x, y] = points.slice(-4);
    const [x1, y1] = points.slice(-2);
    const context = this.#context;
    context.font = '10px ui-monospace, monospace';
    context.textAlign = 'center';
    context.strokeStyle = look.page;
    context.lineWidth = 3;
    context.strokeText(text, (x + x1) / 2, (y + y1) / 2);
    context.fillStyle = look.soft;
    context.fillText(text, (x + x1) / 2, (y + y1) / 2);
    context.textAlign = 'left';
  }
}

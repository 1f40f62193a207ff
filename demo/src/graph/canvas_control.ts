// What pointer, wheel and keys do to the drawn graph, and when it is drawn again.
import type { TypeDescription } from '../../../web/src/tools/types.js';
import { kCategories } from './categories.js';
import { type Look, type Marks, Painter, type Viewport } from './draw.js';
import type { OpenGraph } from './open_graph.js';
import type { Scene } from './scene.js';
import { centreOn, fit, isInView, itemAt, kept, neighbour, start, zoom } from './viewport.js';

const kKeys = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' } as const;

function lookNow(): Look {
  const style = getComputedStyle(document.documentElement);
  // light-dark() is resolved by a property that takes colours only.
  const probe = document.createElement('i');
  document.body.append(probe);
  const colour = (name: string) => {
    probe.style.color = style.getPropertyValue(name);
    return getComputedStyle(probe).color;
  };
  const look = {
    page: colour('--page'),
    card: colour('--card'),
    ink: colour('--ink'),
    soft: colour('--soft'),
    line: colour('--edge'),
    accent: colour('--accent'),
    categories: kCategories.map((name) => colour(`--node-${name}`)),
  };
  probe.remove();
  return look;
}

/** A tensor's shape in few characters. */
function shapeText(type: TypeDescription | undefined): string {
  if (!type || !('shape' in type) || !type.shape) return '';
  return type.shape.map((dim) => (dim === null || String(dim).length > 10 ? '?' : dim)).join('×');
}

export class CanvasControl {
  readonly #canvas: HTMLCanvasElement;
  readonly #graph: OpenGraph;
  readonly #context: CanvasRenderingContext2D;
  readonly #ending = new AbortController();
  readonly #pointers = new Map<number, { x: number; y: number }>();
  readonly #resizing: ResizeObserver;
  #look = lookNow();
  #heat: Marks['heat'];
  #scene: Scene | undefined;
  #painter: Painter | undefined;
  #port: Viewport | undefined;
  #asked = false;
  #moved = false;
  #revealing = false;
  readonly #scrolls: boolean;

  /** `scrolls`: the page around scrolls, so that a wheel is for the graph only where it was clicked, or with Ctrl. */
  constructor(canvas: HTMLCanvasElement, graph: OpenGraph, scrolls = false) {
    this.#canvas = canvas;
    this.#graph = graph;
    this.#scrolls = scrolls;
    this.#context = canvas.getContext('2d', { alpha: false }) as CanvasRenderingContext2D;
    const { signal } = this.#ending;
    canvas.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    canvas.addEventListener('pointermove', (event) => this.#move(event), { signal });
    canvas.addEventListener('pointerup', (event) => this.#up(event), { signal });
    canvas.addEventListener('pointercancel', (event) => this.#pointers.delete(event.pointerId), { signal });
    canvas.addEventListener('dblclick', (event) => this.#open(event), { signal });
    canvas.addEventListener('wheel', (event) => this.#wheel(event), { signal, passive: false });
    canvas.addEventListener('keydown', (event) => this.#key(event), { signal });
    this.#resizing = new ResizeObserver(() => this.#resized());
    this.#resizing.observe(canvas);
  }

  end(): void {
    this.#ending.abort();
    this.#resizing.disconnect();
  }

  show(scene: Scene): void {
    if (scene === this.#scene) return;
    const before = this.#scene;
    this.#scene = scene;
    this.#painter = new Painter(this.#context, scene);
    if (before) this.#keepPlace(before, scene);
    this.#resized();
  }

  colour(heat: Marks['heat']): void {
    this.#heat = heat;
    this.#look = lookNow();
    this.#ask();
  }

  select(_key: string | undefined): void {
    this.#ask();
  }

  /** More types are known, or, of another graph, none yet. */
  retype(): void {
    if (this.#graph.types.value) this.#canvas.dataset.types = 'inferred';
    else delete this.#canvas.dataset.types;
    this.#ask();
  }

  /** Brings the selected box into view. */
  reveal(): void {
    const item = this.#selected();
    if (item === undefined || !this.#scene || !this.#port || this.#graph.reveal.value === 0) return;
    const [width, height] = this.#size();
    // Not seen now: when it is.
    this.#revealing = width === 0;
    if (width > 0 && !isInView(this.#scene, item, this.#port, width, height)) {
      this.#port = centreOn(this.#scene, item, this.#port, width, height);
    }
    this.#ask();
  }

  zoomBy(factor: number): void {
    const [width, height] = this.#size();
    this.#zoomAt(factor, width / 2, height / 2);
  }

  fit(): void {
    if (this.#scene) this.#port = fit(this.#scene, ...this.#size());
    this.#ask();
  }

  #size(): [number, number] {
    return [this.#canvas.clientWidth, this.#canvas.clientHeight];
  }

  #selected(): number | undefined {
    const key = this.#graph.selected.value;
    const entry = key === undefined ? undefined : this.#graph.index.value?.get(key);
    const takers = entry?.node.outputs.flatMap((name) => entry.scope.takers(name)) ?? [];
    const at = (wanted: string | undefined) => this.#scene?.items.findIndex((item) => item.key === wanted) ?? -1;
    // A constant is a line of the box that takes it.
    const found = at(key) < 0 && entry?.node.opType === 'Constant' ? at(takers[0]) : at(key);
    return found < 0 ? undefined : found;
  }

  /** After a box was opened or closed, it stays where it was on the screen. */
  #keepPlace(before: Scene, scene: Scene): void {
    const key = this.#graph.selected.value;
    const old = before.items.findIndex((item) => item.key === key);
    const now = this.#selected();
    if (old < 0 || now === undefined || !this.#port) return;
    this.#port.x += scene.boxes[4 * now] - before.boxes[4 * old];
    this.#port.y += scene.boxes[4 * now + 1] - before.boxes[4 * old + 1];
  }

  #resized(): void {
    const [width, height] = this.#size();
    if (width === 0 || height === 0) return;
    const ratio = devicePixelRatio || 1;
    Object.assign(this.#canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    if (this.#scene) this.#port ??= start(this.#scene, width, height);
    if (this.#revealing) this.reveal();
    this.#draw();
  }

  #ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      this.#draw();
    });
  }

  #draw(): void {
    const [width, height] = this.#size();
    if (!this.#painter || !this.#port || width === 0) return;
    const index = this.#graph.index.value;
    const edgeText = (value: string, { key }: { key: string }) => shapeText(index?.scopeOf(key).typeOf(value));
    const chosen = this.#selected();
    const selected = chosen === undefined ? undefined : this.#scene?.items[chosen].key;
    const marks = { selected, heat: this.#heat, edgeText };
    this.#painter.draw(this.#port, width, height, devicePixelRatio || 1, this.#look, marks);
    this.#canvas.dataset.scale = this.#port.scale.toPrecision(3);
    this.#canvas.dataset.drawn = String(Number(this.#canvas.dataset.drawn ?? 0) + 1);
  }

  #pan(dx: number, dy: number): void {
    if (!this.#port || !this.#scene) return;
    const { scale, x, y } = this.#port;
    this.#port = kept({ scale, x: x - dx / scale, y: y - dy / scale }, this.#scene, ...this.#size());
    this.#ask();
  }

  #zoomAt(factor: number, x: number, y: number): void {
    if (this.#port && this.#scene) this.#port = zoom(this.#port, factor, x, y, this.#scene, this.#size());
    this.#ask();
  }

  #down(event: PointerEvent): void {
    this.#canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.#moved = false;
  }

  #move(event: PointerEvent): void {
    const last = this.#pointers.get(event.pointerId);
    if (!last || !this.#port) return;
    const [dx, dy] = [event.offsetX - last.x, event.offsetY - last.y];
    if (!this.#moved && Math.hypot(dx, dy) < 4) return;
    this.#moved = true;
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const far = (p: { x: number; y: number }) => Math.hypot(p.x - other.x, p.y - other.y) || 1;
      this.#zoomAt(far({ x: event.offsetX, y: event.offsetY }) / far(last), other.x, other.y);
    } else {
      this.#pan(dx, dy);
    }
    this.#pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.#ask();
  }

  #up(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    if (this.#moved || !this.#scene || !this.#port) return;
    const at = itemAt(this.#scene, this.#port, event.offsetX, event.offsetY);
    this.#graph.selected.value = at === undefined ? undefined : this.#scene.items[at].key;
  }

  #open({ offsetX, offsetY }: MouseEvent): void {
    if (!this.#scene || !this.#port) return;
    const at = itemAt(this.#scene, this.#port, offsetX, offsetY);
    if (at !== undefined && this.#scene.items[at].fold) this.#graph.toggle(this.#scene.items[at].key);
  }

  #wheel(event: WheelEvent): void {
    if (this.#scrolls && !event.ctrlKey && !event.metaKey && document.activeElement !== this.#canvas) return;
    event.preventDefault();
    if (!this.#port) return;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.#pan(-(event.deltaX || event.deltaY), 0);
      return;
    }
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
    this.#zoomAt(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), event.offsetX, event.offsetY);
  }

  #key(event: KeyboardEvent): void {
    const scene = this.#scene;
    if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = kKeys[event.key as keyof typeof kKeys];
    const item = this.#selected();
    if (way) {
      const next = item === undefined ? 0 : neighbour(scene, item, way);
      if (next !== undefined) this.#graph.show(scene.items[next].key);
    } else if (event.key === '+' || event.key === '=') this.zoomBy(1.4);
    else if (event.key === '-') this.zoomBy(1 / 1.4);
    else if (event.key === '0') this.fit();
    else if (event.key === 'Enter' && item !== undefined && scene.items[item].fold) {
      this.#graph.toggle(scene.items[item].key);
    } else if (event.key === 'Escape' && item !== undefined) this.#graph.selected.value = undefined;
    else return;
    event.preventDefault();
  }
}

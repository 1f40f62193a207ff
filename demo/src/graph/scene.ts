// The picture of a model: boxes with their text and places, arrows with their routes. Opened boxes hold their graphs.
import type { ModelDescription, NodeDescription, TensorDescription } from '../../../web/src/tools/types.js';
import { categoryOf } from './categories.js';
import { dagreLayout } from './dagre_layout.js';
import { type Body, bodiesOf, capturesOf, constantsOf, graphBody, isFoldedAway, keyOf } from './keys.js';
import { layeredLayout } from './layered_layout.js';
import type { LayoutInput, LayoutResult } from './layout_types.js';

export interface SceneItem {
  readonly key: string;
  readonly kind: 'node' | 'input' | 'output';
  readonly title: string;
  readonly lines: readonly string[];
  /** A place in kCategories. */
  readonly category: number;
  /** Has graphs in it. */
  readonly fold: '' | 'closed' | 'open';
}

export interface Scene {
  readonly items: readonly SceneItem[];
  /** Left, top, width, height of each item; boxes stand before those within them. */
  readonly boxes: Float32Array;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** The value that each arrow carries. */
  readonly values: readonly string[];
  readonly routes: readonly (readonly number[])[];
  readonly width: number;
  readonly height: number;
}

/** From so many arrows and boxes on, the quick layout. */
const kMostForDagre = 1500;
const kTitle = 27;
const kLine = 15;
const kFrame = 14;
const kWidest = 260;

interface Draft {
  items: SceneItem[];
  boxes: number[];
  from: number[];
  to: number[];
  values: string[];
  routes: number[][];
  width: number;
  height: number;
}

export const layoutOf = (input: LayoutInput): LayoutResult =>
  input.from.length + input.sizes.length / 2 > kMostForDagre ? layeredLayout(input) : dagreLayout(input);

function tensorText({ dtype, shape, values }: TensorDescription): string {
  const [value] = values ?? [];
  if (values?.length === 1 && shape.length <= 1) {
    return `= ${typeof value === 'number' ? Number(value.toPrecision(6)) : value}`;
  }
  return shape.length > 0 ? `⟨${shape.join('×')}⟩` : dtype;
}

function itemOf(
  model: ModelDescription,
  node: NodeDescription,
  key: string,
  constants: ReadonlyMap<string, TensorDescription>,
  opened: ReadonlySet<string>,
): SceneItem {
  const lines = node.inputs.flatMap((name) => {
    const tensor = constants.get(name);
    if (!tensor) return [];
    const short = name.split(/[/.]/).at(-1) || name;
    return [`${short.length > 18 ? `${short.slice(0, 17)}…` : short} ${tensorText(tensor)}`];
  });
  const most = 4;
  const shown = lines.length > most ? [...lines.slice(0, most - 1), `+${lines.length - most + 1}`] : lines;
  const fold = bodiesOf(model, node, key).length === 0 ? '' : opened.has(key) ? 'open' : 'closed';
  return { key, kind: 'node', title: node.opType, lines: shown, category: categoryOf(node.opType), fold };
}

function sizeOf({ title, lines, fold }: SceneItem): [number, number] {
  const width = Math.max(title.length * 7.4 + (fold ? 44 : 26), ...lines.map((line) => line.length * 6.3 + 20), 56);
  return [Math.min(kWidest, Math.ceil(width)), kTitle + (lines.length > 0 ? 5 + kLine * lines.length : 0)];
}

/** The graphs within an opened box, side by side, under its title. */
function inside(model: ModelDescription, bodies: readonly Body[], opened: ReadonlySet<string>): Draft {
  const all: Draft = { items: [], boxes: [], from: [], to: [], values: [], routes: [], width: kFrame, height: 0 };
  for (const body of bodies) {
    append(all, draftOf(model, body, opened), all.width, kTitle + 8);
    all.width += kFrame;
  }
  all.height += kFrame;
  return all;
}

/** Adds `part` with its corner at (x, y); grows `all` to hold it. */
function append(all: Draft, part: Draft, x: number, y: number): void {
  const first = all.items.length;
  for (const item of part.items) all.items.push(item);
  for (let i = 0; i < part.boxes.length; ++i) all.boxes.push(part.boxes[i] + (i % 4 === 0 ? x : i % 4 === 1 ? y : 0));
  for (let e = 0; e < part.from.length; ++e) {
    all.from.push(part.from[e] + first);
    all.to.push(part.to[e] + first);
    all.values.push(part.values[e]);
    all.routes.push(part.routes[e].map((v, i) => v + (i % 2 === 0 ? x : y)));
  }
  all.width = Math.max(all.width, x + part.width);
  all.height = Math.max(all.height, y + part.height);
}

interface Arrows {
  readonly from: number[];
  readonly to: number[];
  readonly values: string[];
}

function arrowsOf(
  body: Body,
  shown: readonly NodeDescription[],
  inputs: readonly string[],
  outputs: readonly string[],
) {
  const arrows: Arrows = { from: [], to: [], values: [] };
  const makers = new Map(inputs.map((name, i) => [name, i]));
  const first = inputs.length;
  for (const [i, node] of shown.entries()) for (const name of node.outputs) if (name) makers.set(name, first + i);
  const connect = (name: string, to: number, met: Set<number>) => {
    const from = makers.get(name);
    if (from === undefined || from === to || met.has(from)) return;
    met.add(from);
    arrows.from.push(from);
    arrows.to.push(to);
    arrows.values.push(name);
  };
  for (const [i, node] of shown.entries()) {
    const met = new Set<number>();
    for (const name of [...node.inputs, ...capturesOf(node)]) connect(name, first + i, met);
  }
  for (const [i, name] of outputs.entries()) connect(name, first + shown.length + i, new Set());
  return { ...arrows, body };
}

function draftOf(model: ModelDescription, body: Body, opened: ReadonlySet<string>): Draft {
  const constants = constantsOf(body);
  const inputs = body.inputs.filter((name) => !constants.has(name));
  const shown = body.nodes.filter((node) => !isFoldedAway(node, constants, body.outputs));
  const port = (kind: 'input' | 'output') => (name: string) => {
    return {
      key: `${body.prefix}${kind === 'input' ? 'in' : 'out'}:${name}`,
      kind,
      title: name,
      lines: [] as string[],
    };
  };
  const items: SceneItem[] = [
    ...inputs.map(port('input')).map((item) => ({ ...item, category: 0, fold: '' as const })),
    ...shown.map((node) => itemOf(model, node, keyOf(body.prefix, node.index), constants, opened)),
    ...body.outputs.map(port('output')).map((item) => ({ ...item, category: 0, fold: '' as const })),
  ];
  const within = new Map<number, Draft>();
  const sizes = new Float32Array(2 * items.length);
  for (const [i, item] of items.entries()) {
    const [width, height] = sizeOf(item);
    sizes.set([width, height], 2 * i);
    if (item.fold !== 'open') continue;
    const draft = inside(model, bodiesOf(model, shown[i - inputs.length], item.key), opened);
    within.set(i, draft);
    sizes.set([Math.max(width, draft.width), Math.max(height, draft.height)], 2 * i);
  }
  const { from, to, values } = arrowsOf(body, shown, inputs, body.outputs);
  const { places, width, height, routes } = layoutOf({ sizes, from: Uint32Array.from(from), to: Uint32Array.from(to) });
  const boxes: number[] = [];
  for (let i = 0; i < items.length; ++i) {
    boxes.push(places[2 * i], places[2 * i + 1], sizes[2 * i], sizes[2 * i + 1]);
  }
  const draft: Draft = { items, boxes, from, to, values, routes: routes.map((route) => [...route]), width, height };
  for (const [i, part] of within) append(draft, part, places[2 * i], places[2 * i + 1]);
  return draft;
}

/** `opened`: the keys of the boxes whose graphs are shown. */
export function sceneOf(model: ModelDescription, opened: ReadonlySet<string>): Scene {
  const draft = draftOf(model, graphBody(model.graph, ''), opened);
  const { items, values, routes, width, height } = draft;
  return {
    items,
    values,
    routes,
    width,
    height,
    boxes: Float32Array.from(draft.boxes),
    from: Uint32Array.from(draft.from),
    to: Uint32Array.from(draft.to),
  };
}

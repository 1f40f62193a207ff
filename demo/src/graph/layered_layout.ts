// The layout of large graphs, in time linear in their size: layers by longest paths, orders by barycentres.
import { kGapX, kGapY, type LayoutInput, type LayoutResult } from './layout_types.js';

const kBendWidth = 6;
/** Arrows over more layers than this go straight. */
const kLongest = 60;

/** Neighbours of each item, as ranges of one list. */
class Adjacency {
  readonly starts: Uint32Array;
  readonly items: Uint32Array;

  constructor(count: number, keys: ArrayLike<number>, values: ArrayLike<number>) {
    this.starts = new Uint32Array(count + 1);
    for (let i = 0; i < keys.length; ++i) ++this.starts[keys[i] + 1];
    for (let i = 0; i < count; ++i) this.starts[i + 1] += this.starts[i];
    const next = this.starts.slice();
    this.items = new Uint32Array(keys.length);
    for (let i = 0; i < keys.length; ++i) this.items[next[keys[i]]++] = values[i];
  }

  mean(item: number, of: ArrayLike<number>): number | undefined {
    const [begin, end] = [this.starts[item], this.starts[item + 1]];
    if (begin === end) return undefined;
    let sum = 0;
    for (let i = begin; i < end; ++i) sum += of[this.items[i]];
    return sum / (end - begin);
  }
}

/** The layer of each box: the longest way to it; those without a way to them stand right above what takes them. */
function layersOf(count: number, from: Uint32Array, to: Uint32Array): Int32Array {
  const out = new Adjacency(count, from, to);
  const missing = new Uint32Array(count);
  for (const target of to) ++missing[target];
  const sources = missing.slice();
  const layer = new Int32Array(count);
  const order: number[] = [];
  for (let i = 0; i < count; ++i) if (missing[i] === 0) order.push(i);
  for (let at = 0; at < order.length; ++at) {
    const item = order[at];
    for (let e = out.starts[item]; e < out.starts[item + 1]; ++e) {
      const target = out.items[e];
      layer[target] = Math.max(layer[target], layer[item] + 1);
      if (--missing[target] === 0) order.push(target);
    }
  }
  for (const item of order) {
    if (sources[item] > 0 || out.starts[item] === out.starts[item + 1]) continue;
    let least = Number.MAX_SAFE_INTEGER;
    for (let e = out.starts[item]; e < out.starts[item + 1]; ++e) least = Math.min(least, layer[out.items[e]]);
    layer[item] = Math.max(0, least - 1);
  }
  return layer;
}

/** The boxes, and a bend in every layer that an arrow crosses. */
interface Chains {
  readonly layer: number[];
  readonly width: number[];
  readonly from: number[];
  readonly to: number[];
  /** The bends of each arrow. */
  readonly bends: number[][];
}

function chainsOf({ sizes, from, to }: LayoutInput, layer: Int32Array): Chains {
  const chains: Chains = {
    layer: Array.from(layer),
    width: Array.from(layer, (_, i) => sizes[2 * i]),
    from: [],
    to: [],
    bends: [],
  };
  for (let e = 0; e < from.length; ++e) {
    const bends: number[] = [];
    let last = from[e];
    const span = layer[to[e]] - layer[from[e]];
    for (let step = 1; step < span && span <= kLongest; ++step) {
      const bend = chains.layer.push(layer[from[e]] + step) - 1;
      chains.width.push(kBendWidth);
      chains.from.push(last);
      chains.to.push(bend);
      bends.push(bend);
      last = bend;
    }
    chains.from.push(last);
    chains.to.push(to[e]);
    chains.bends.push(bends);
  }
  return chains;
}

/** Puts the items of a row side by side in the order of `wish`, each as near to its wish as the gaps let it. */
function place(row: number[], x: Float64Array, width: readonly number[], wish: (item: number) => number): void {
  const wishes = new Map(row.map((item) => [item, wish(item)]));
  row.sort((a, b) => (wishes.get(a) as number) - (wishes.get(b) as number));
  // Blocks of items that touch each other stand at the mean of their wishes.
  const blocks: { first: number; sum: number; count: number; size: number }[] = [];
  for (const [i, item] of row.entries()) {
    const size = width[item] + kGapX;
    let block = { first: i, sum: (wishes.get(item) as number) - width[item] / 2, count: 1, size };
    for (let last = blocks.at(-1); last && last.sum / last.count + last.size > block.sum / block.count; ) {
      const sum = last.sum + block.sum - block.count * last.size;
      block = { first: last.first, sum, count: last.count + block.count, size: last.size + block.size };
      blocks.pop();
      last = blocks.at(-1);
    }
    blocks.push(block);
  }
  for (const [b, { first, sum, count }] of blocks.entries()) {
    let left = sum / count;
    for (let i = first; i < (blocks[b + 1]?.first ?? row.length); ++i) {
      x[row[i]] = left + width[row[i]] / 2;
      left += width[row[i]] + kGapX;
    }
  }
}

export function layeredLayout(input: LayoutInput): LayoutResult {
  const { sizes, from, to } = input;
  const count = sizes.length / 2;
  const layer = layersOf(count, from, to);
  const chains = chainsOf(input, layer);
  const all = chains.layer.length;
  const rows: number[][] = [];
  for (let i = 0; i < all; ++i) {
    rows[chains.layer[i]] ??= [];
    rows[chains.layer[i]].push(i);
  }
  for (let r = 0; r < rows.length; ++r) rows[r] ??= [];
  const before = new Adjacency(all, chains.to, chains.from);
  const after = new Adjacency(all, chains.from, chains.to);
  const x = new Float64Array(all);
  for (let sweep = 0; sweep < 4; ++sweep) {
    const down = sweep % 2 === 0;
    for (let i = 0; i < rows.length; ++i) {
      const row = rows[down ? i : rows.length - 1 - i];
      place(row, x, chains.width, (item) => (down ? before : after).mean(item, x) ?? x[item]);
    }
  }
  const top = new Float64Array(rows.length);
  let height = 0;
  for (const [r, row] of rows.entries()) {
    let tallest = 0;
    for (const item of row) if (item < count) tallest = Math.max(tallest, sizes[2 * item + 1]);
    top[r] = height;
    height += tallest + (row.length > 0 ? kGapY : 0);
  }
  let [left, right] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < all; ++i) {
    left = Math.min(left, x[i] - chains.width[i] / 2);
    right = Math.max(right, x[i] + chains.width[i] / 2);
  }
  const places = new Float32Array(2 * count);
  for (let i = 0; i < count; ++i) {
    places[2 * i] = x[i] - chains.width[i] / 2 - left;
    places[2 * i + 1] = top[layer[i]];
  }
  const routes = chains.bends.map((bends) => bends.flatMap((bend) => [x[bend] - left, top[chains.layer[bend]] + 10]));
  return { places, width: Math.max(0, right - left), height: Math.max(0, height - kGapY), routes };
}

// Small computations that rows take their expected values from, element by element, integers as bigints that wrap.
import { isWhole, numbersOf, product, tensor } from './values.mjs';

/** The shape to which shapes broadcast, as numpy does. */
export function broadcastShape(...shapes) {
  const rank = Math.max(...shapes.map((s) => s.length));
  return Array.from({ length: rank }, (_, i) => {
    const dims = shapes.map((s) => s[s.length - rank + i] ?? 1);
    return dims.find((d) => d !== 1) ?? 1;
  });
}

// The position in a value of `dims` of the element at `at` of the broadcast shape.
function positionIn(dims, at) {
  let position = 0;
  for (const [i, d] of dims.entries()) position = position * d + (d === 1 ? 0 : at[at.length - dims.length + i]);
  return position;
}

/** Every index of a shape, in order. */
export function* indicesOf(dims) {
  const count = product(dims);
  for (let n = 0; n < count; n++) {
    const at = [];
    for (let i = dims.length - 1, rest = n; i >= 0; i--) {
      at[i] = rest % dims[i];
      rest = Math.floor(rest / dims[i]);
    }
    yield at;
  }
}

/** fn on the elements of values that broadcast; whole numbers come as bigints. */
export function elementwise(fn, type, ...values) {
  const dims = broadcastShape(...values.map((v) => v.dims));
  const lists = values.map((v) => numbersOf(v).map((x) => (isWhole(v.type) ? BigInt(x) : x)));
  const out = [...indicesOf(dims)].map((at) => fn(...values.map((v, i) => lists[i][positionIn(v.dims, at)])));
  return tensor(type, dims, wrapped(type, out));
}

/** Bigints brought into the range of their type, by its bits. */
export function wrapped(type, list) {
  if (!isWhole(type)) return list.map(Number);
  const bits = Number(/\d+/.exec(type)[0]);
  return list.map((v) => (type.startsWith('u') ? BigInt.asUintN(bits, BigInt(v)) : BigInt.asIntN(bits, BigInt(v))));
}

/** The elements of x at `positions`, in a shape: what any movement of data comes to. */
export function taken(x, dims, positions) {
  const numbers = x.type.startsWith('complex') ? pairsOf(x) : numbersOf(x);
  const list = positions.map((p) => numbers[p]);
  return tensor(x.type, dims, x.type.startsWith('complex') ? list.flat() : list);
}

const pairsOf = ({ data }) => Array.from({ length: data.length / 2 }, (_, i) => [data[2 * i], data[2 * i + 1]]);

/** The larger and the smaller of two bigints, for which Math has no functions. */
export function larger(a, b) {
  if (a > b) return a;
  return b;
}
export const smaller = (a, b) => -larger(-a, -b);

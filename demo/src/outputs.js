// Outputs: what is in them, in numbers and, where they look like an image, as one.
import { countText, element, msText, numberText } from './dom.js';
import { imageLayout, imageSize } from './fill.js';

const kShown = 24;
const kTop = 5;

/** float16 and bfloat16 bits as numbers. */
function decodeHalf(type, bits) {
  if (type === 'bfloat16') return new Float32Array(Uint32Array.of(bits << 16).buffer)[0];
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

/** The elements as numbers (bigints stay), or undefined for packed and opaque types. */
function numbersOf({ type, data }) {
  if (type === 'string' || /^(float8|float4|u?int[24]$|complex)/.test(type)) return undefined;
  if (data instanceof Uint16Array && type.endsWith('float16'))
    return Float32Array.from(data, (x) => decodeHalf(type, x));
  return data;
}

function statistics(numbers) {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let strange = 0;
  for (const element of numbers) {
    const value = Number(element);
    if (!Number.isFinite(value)) {
      ++strange;
      continue;
    }
    if (value < min) min = value;
    if (value > max) max = value;
    sum += value;
  }
  return { min, max, mean: sum / (numbers.length - strange), strange };
}

/** The largest elements with their places. */
function largest(numbers) {
  const top = [];
  for (let i = 0; i < numbers.length; ++i) {
    const value = Number(numbers[i]);
    if (Number.isNaN(value) || (top.length === kTop && value <= top[kTop - 1].value)) continue;
    let at = top.length;
    while (at > 0 && top[at - 1].value < value) --at;
    top.splice(at, 0, { i, value });
    top.length = Math.min(top.length, kTop);
  }
  return top;
}

function placeText(i, dims) {
  const place = [];
  for (let d = dims.length - 1; d >= 0; --d) {
    place.unshift(i % dims[d]);
    i = Math.floor(i / dims[d]);
  }
  return `[${place.join(', ')}]`;
}

/** The first image of the tensor, its smallest element black and its largest white. */
function drawing(numbers, dims, { min, max }) {
  const layout = imageLayout(dims);
  if (!layout) return undefined;
  const { height, width, channels } = imageSize(dims, layout);
  if (height < 8 || width < 8 || width * height > 2 ** 24) return undefined;
  const canvas = element('canvas', { width, height });
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', 'the output drawn as an image');
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  const [step, plane] = layout === 'NCHW' ? [1, width * height] : [channels, 1];
  const scale = max > min ? 255 / (max - min) : 0;
  for (let p = 0; p < width * height; ++p) {
    for (let c = 0; c < 4; ++c) {
      const from = channels === 1 ? 0 : c;
      const is = c < 3 || channels === 4;
      image.data[4 * p + c] = is ? (Number(numbers[p * step + from * plane]) - min) * scale : 255;
    }
  }
  if (channels < 4) for (let p = 0; p < width * height; ++p) image.data[4 * p + 3] = 255;
  context.putImageData(image, 0, 0);
  return canvas;
}

function tensorView(output) {
  const { type, dims, data } = output;
  const numbers = numbersOf(output);
  const shown = Array.from((numbers ?? data).slice(0, kShown), (x) =>
    type === 'string' ? JSON.stringify(x) : numberText(x),
  );
  const rest = data.length > kShown ? ' ...' : '';
  const parts = [];
  if (numbers && numbers.length > 0 && type !== 'bool') {
    const stats = statistics(numbers);
    const strange = stats.strange > 0 ? `, ${countText(stats.strange)} NaN or infinite` : '';
    const range = `min ${numberText(stats.min)}, max ${numberText(stats.max)}, mean ${numberText(stats.mean)}${strange}`;
    parts.push(element('p', { class: 'type' }, range));
    if (numbers.length > 1) {
      const top = largest(numbers).map(({ i, value }) => `${numberText(value)} at ${placeText(i, dims)}`);
      parts.push(element('p', { class: 'type' }, `largest: ${top.join(', ')}`));
    }
    const canvas = drawing(numbers, dims, stats);
    if (canvas) parts.push(canvas);
  }
  parts.push(element('pre', { tabIndex: 0 }, `${shown.join(', ')}${rest}` || '(no elements)'));
  return parts;
}

export function showOutputs(root, outputs) {
  root.replaceChildren(
    ...outputs.map((output) => {
      const type = output.text === undefined ? `${output.type}[${output.dims.join(', ')}]` : '';
      const title = element('h3', {}, output.name, ' ', element('span', { class: 'type' }, type));
      const parts = output.text === undefined ? tensorView(output) : [element('pre', {}, output.text)];
      return element('div', { class: 'value' }, title, ...parts);
    }),
  );
}

/** A table of the time by operator, the slowest first. */
export function showProfile(table, profile) {
  const byType = new Map();
  for (const { opType, duration, depth } of profile) {
    if (depth > 0) continue;
    const row = byType.get(opType) ?? { count: 0, ms: 0 };
    byType.set(opType, { count: row.count + 1, ms: row.ms + duration });
  }
  const rows = [...byType].sort((a, b) => b[1].ms - a[1].ms);
  const all = rows.reduce((sum, [, { ms }]) => sum + ms, 0) || 1;
  const cells = (tag, ...texts) => element('tr', {}, ...texts.map((text) => element(tag, {}, text)));
  table.replaceChildren(
    cells('th', 'operator', 'nodes', 'time', 'share'),
    ...rows.map(([type, { count, ms }]) =>
      cells('td', type, String(count), msText(ms), `${((100 * ms) / all).toFixed(1)} %`),
    ),
  );
}

// Elements for an input: by a rule, from typed text, or from an image.

const kIntegers = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
};
const kLongs = { int64: BigInt64Array, uint64: BigUint64Array };
const kHalves = { float16: [5, 10], bfloat16: [8, 7] };

/** Can this page make elements of the type? */
export function isFillable(type) {
  return ['float32', 'float64', 'bool', 'string', ...Object.keys({ ...kIntegers, ...kLongs, ...kHalves })].includes(
    type,
  );
}

export const isFloat = (type) => type === 'float32' || type === 'float64' || type in kHalves;

/** The bits of a number in a small float format: exponent and mantissa bits; cut off, not rounded. */
function smallFloatBits(value, [exponentBits, mantissaBits]) {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0];
  const sign = (bits >>> 31) << (exponentBits + mantissaBits);
  const bias = 2 ** (exponentBits - 1) - 1;
  const exponent = ((bits >>> 23) & 255) - 127 + bias;
  if (exponent <= 0) return sign;
  const largest = 2 ** exponentBits - 1;
  if (exponent >= largest) return sign | (largest << mantissaBits);
  return sign | (exponent << mantissaBits) | ((bits & 0x7fffff) >>> (23 - mantissaBits));
}

/** A typed array (or strings) of `count` elements, element i being value(i). */
export function arrayOf(type, count, value) {
  if (type === 'string') return Array.from({ length: count }, (_, i) => String(value(i)));
  if (type in kLongs) return kLongs[type].from({ length: count }, (_, i) => BigInt(Math.trunc(value(i))));
  if (type in kHalves) return Uint16Array.from({ length: count }, (_, i) => smallFloatBits(value(i), kHalves[type]));
  if (type === 'bool') return Uint8Array.from({ length: count }, (_, i) => (value(i) ? 1 : 0));
  const array = type === 'float32' ? Float32Array : type === 'float64' ? Float64Array : kIntegers[type];
  if (!array) throw new Error(`this page cannot fill ${type} inputs`);
  return array.from({ length: count }, (_, i) => value(i));
}

export const rules = {
  random: (type) =>
    isFloat(type) ? () => Math.random() : () => Math.floor(Math.random() * (type === 'bool' ? 2 : 10)),
  zeros: () => () => 0,
  ones: () => () => 1,
  count: () => (i) => i,
};

/** Elements typed as text, repeated until there are `count`. */
export function fromText(type, count, text) {
  const words = type === 'string' ? text.split('\n') : text.split(/[\s,;[\]]+/).filter(Boolean);
  if (words.length === 0) throw new Error('no values are typed in');
  const values = words.map((word) => {
    if (type === 'string') return word;
    const value = word === 'true' ? 1 : word === 'false' ? 0 : Number(word);
    if (Number.isNaN(value) && word !== 'NaN') throw new Error(`"${word}" is no number`);
    return value;
  });
  if (values.length > count) throw new Error(`${values.length} values are typed in for ${count} elements`);
  return arrayOf(type, count, (i) => values[i % values.length]);
}

/** value = (pixel / 255 - mean) / deviation, or the pixel itself. */
export const norms = {
  unit: { label: '0 to 1', mean: [0, 0, 0], deviation: [1, 1, 1] },
  signed: { label: '-1 to 1', mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] },
  imagenet: { label: 'ImageNet mean and deviation', mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] },
  pixels: { label: '0 to 255', mean: [0, 0, 0], deviation: [1 / 255, 1 / 255, 1 / 255] },
};

/** 'NCHW', 'NHWC', or undefined where the dimensions are no image's. */
export function imageLayout(dims) {
  if (dims.length < 3 || dims.length > 4) return undefined;
  const isChannels = (d) => d === 1 || d === 3 || d === 4;
  if (isChannels(dims.at(-3)) && !isChannels(dims.at(-1))) return 'NCHW';
  if (isChannels(dims.at(-1)) && !isChannels(dims.at(-2))) return 'NHWC';
  return isChannels(dims.at(-3)) ? 'NCHW' : undefined;
}

export function imageSize(dims, layout) {
  const [height, width, channels] = layout === 'NCHW' ? [-2, -1, -3] : [-3, -2, -1];
  return { height: dims.at(height), width: dims.at(width), channels: dims.at(channels) };
}

/** The elements of a tensor of `dims` from RGBA pixels of its height and width; a batch gets the image in each place. */
export function fromPixels(type, dims, pixels, { layout, norm, order }) {
  const { height, width, channels } = imageSize(dims, layout);
  const plane = height * width;
  const { mean, deviation } = norms[norm];
  const from = order === 'BGR' ? [2, 1, 0, 3] : [0, 1, 2, 3];
  const at = (pixel, c) => {
    if (channels === 1) return 0.299 * pixels[pixel] + 0.587 * pixels[pixel + 1] + 0.114 * pixels[pixel + 2];
    return pixels[pixel + from[c]];
  };
  const count = dims.reduce((a, b) => a * b, 1);
  return arrayOf(type, count, (i) => {
    const inner = i % (plane * channels);
    const c = layout === 'NCHW' ? Math.floor(inner / plane) : inner % channels;
    const pixel = layout === 'NCHW' ? inner % plane : Math.floor(inner / channels);
    const value = at(4 * pixel, c);
    if (!isFloat(type)) return value;
    return (value / 255 - (mean[c] ?? 0)) / (deviation[c] ?? 1);
  });
}

// Digests of output tensors: what a reference file keeps of an output, and how an output is held against it.

const kSamples = 256;
const kBlocks = 64;
const kTolerance = 1e-4; // relative to the output's largest magnitude

const numbers = (data) => (data instanceof Float32Array ? data : Float64Array.from(data, Number));
const encode = (values) => Buffer.from(Float32Array.from(values).buffer).toString('base64');

function decode(text) {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

// Up to kSamples values, evenly spaced; all where there are no more.
function samples(values) {
  const count = Math.min(values.length, kSamples);
  return Array.from({ length: count }, (_, i) => values[Math.floor((i * values.length) / count)]);
}

// The means of kBlocks stretches of equal length, so that no value goes unseen; none where the samples are all.
function blockMeans(values) {
  if (values.length <= kSamples) return [];
  return Array.from({ length: kBlocks }, (_, i) => {
    const begin = Math.floor((i * values.length) / kBlocks);
    const end = Math.floor(((i + 1) * values.length) / kBlocks);
    let sum = 0;
    for (let k = begin; k < end; k++) sum += values[k];
    return sum / (end - begin);
  });
}

function range(values) {
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  for (const v of values) {
    if (v < min) min = v;
    if (v > max) max = v;
    sum += v;
  }
  return { min, max, mean: sum / values.length };
}

/** What a reference keeps of a tensor {type, dims, data}; JSON, values as base64 of little-endian float32. */
export function digestOf({ type, dims, data }) {
  const values = numbers(data);
  const { min, max, mean } = range(values);
  const maxAbs = Math.max(Math.abs(min), Math.abs(max));
  const digest = { type, dims: [...dims], min, max, mean, maxAbs, values: encode(samples(values)) };
  const means = blockMeans(values);
  return means.length ? { ...digest, means: encode(means) } : digest;
}

/** The largest distance between two tensors' values, relative to the second one's largest magnitude. */
export function distance(actual, expected) {
  const a = numbers(actual.data);
  const b = numbers(expected.data);
  if (a.length !== b.length) return Infinity;
  let scale = 0;
  let far = 0;
  for (let i = 0; i < b.length; i++) {
    const d = Math.abs(a[i] - b[i]);
    scale = Math.max(scale, Math.abs(b[i]));
    far = d > far || Number.isNaN(d) ? d : far;
  }
  return Number.isNaN(far) ? Infinity : far / (scale || 1);
}

/** What an output may be away from its reference: 1e-4, or twice onnxruntime-web's own distance where that is more. */
export function toleranceOf(digest) {
  return Math.max(kTolerance, 2 * (digest.webDistance ?? 0));
}

/** Holds a tensor against its digest: {distance, problem}, the distance relative, the problem '' where all is well. */
export function compareWithDigest({ type, dims, data }, digest) {
  const bad = (problem) => ({ distance: Infinity, problem });
  if (type !== digest.type) return bad(`is ${type}, not ${digest.type}`);
  if (String(dims) !== String(digest.dims)) return bad(`has the shape [${dims}], not [${digest.dims}]`);
  const values = numbers(data);
  if (values.length !== digest.dims.reduce((a, b) => a * b, 1)) return bad(`has ${values.length} values`);
  const odd = values.findIndex((v) => !Number.isFinite(v));
  if (odd >= 0) return bad(`has ${values[odd]} at ${odd}`);
  const { min, max, mean } = range(values);
  const actual = [min, max, mean, ...samples(values), ...blockMeans(values)];
  const expected = [digest.min, digest.max, digest.mean, ...decode(digest.values), ...decode(digest.means ?? '')];
  const far = distance({ data: actual }, { data: expected });
  const tolerance = toleranceOf(digest);
  return {
    distance: far,
    problem: far <= tolerance ? '' : `is ${far.toExponential(2)} away, allowed ${tolerance.toExponential(2)}`,
  };
}

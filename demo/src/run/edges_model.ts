// A sample model, written here byte by byte: one convolution that finds edges in an image.

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}

type Bytes = ArrayLike<number> & Iterable<number>;

/** A protobuf field: a number, or bytes (text, messages). */
function field(number: number, value: number | string | Bytes): number[] {
  if (typeof value === 'number') return [...varint(number * 8), ...varint(value)];
  const bytes = typeof value === 'string' ? text(value) : value;
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
}

const kFloat = 1;
const kInts = 7;

function port(name: string, dims: readonly (number | string)[]): number[] {
  const shape = dims.flatMap((dim) => field(1, typeof dim === 'number' ? field(1, dim) : field(2, dim)));
  const tensor = [...field(1, kFloat), ...field(2, shape)];
  return [...field(1, name), ...field(2, field(1, tensor))];
}

function ints(name: string, values: readonly number[]): number[] {
  return [...field(1, name), ...values.flatMap((value) => field(8, value)), ...field(20, kInts)];
}

/** The bytes of the model: edges[n, 1, h, w] from image[n, 3, h, w]. */
export function edgesModel(): Uint8Array<ArrayBuffer> {
  const kernel = [-1, -1, -1, -1, 8, -1, -1, -1, -1];
  const weights = Float32Array.from([...kernel, ...kernel, ...kernel], (w) => w / 3);
  const initializer = [
    ...[1, 3, 3, 3].flatMap((dim) => field(1, dim)),
    ...field(2, kFloat),
    ...field(8, 'kernel'),
    ...field(9, new Uint8Array(weights.buffer)),
  ];
  const conv = [
    ...['image', 'kernel'].flatMap((name) => field(1, name)),
    ...field(2, 'response'),
    ...field(3, 'find edges'),
    ...field(4, 'Conv'),
    ...field(5, ints('pads', [1, 1, 1, 1])),
  ];
  const abs = [...field(1, 'response'), ...field(2, 'edges'), ...field(3, 'both signs'), ...field(4, 'Abs')];
  const graph = [
    ...field(1, conv),
    ...field(1, abs),
    ...field(2, 'edges of an image'),
    ...field(5, initializer),
    ...field(11, port('image', [1, 3, 'height', 'width'])),
    ...field(12, port('edges', [1, 1, 'height', 'width'])),
  ];
  const opset = [...field(1, ''), ...field(2, 17)];
  return Uint8Array.from([...field(1, 8), ...field(2, 'Sardonyx demo'), ...field(7, graph), ...field(8, opset)]);
}

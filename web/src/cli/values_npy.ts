// NumPy's .npy files (its "NEP 1" format, versions 1 to 3): every numeric type in either byte order, both memory orders, text.
// npm's readers take neither other byte orders nor Fortran order, and believe the header.
import { arrayOf } from '../dtypes.js';
import { Tensor } from '../index.js';
import { elementsOf } from '../tools/numbers.js';

const kMagic = '\x93NUMPY';
/** numpy's letter and bytes -> the element type; `unit`: bytes that turn round together. */
const kTypes: Readonly<Record<string, { readonly type: Tensor.Type; readonly unit: number }>> = {
  b1: { type: 'bool', unit: 1 },
  i1: { type: 'int8', unit: 1 },
  i2: { type: 'int16', unit: 2 },
  i4: { type: 'int32', unit: 4 },
  i8: { type: 'int64', unit: 8 },
  u1: { type: 'uint8', unit: 1 },
  u2: { type: 'uint16', unit: 2 },
  u4: { type: 'uint32', unit: 4 },
  u8: { type: 'uint64', unit: 8 },
  f2: { type: 'float16', unit: 2 },
  f4: { type: 'float32', unit: 4 },
  f8: { type: 'float64', unit: 8 },
  c8: { type: 'complex64', unit: 4 },
  c16: { type: 'complex128', unit: 8 },
};

interface Header {
  readonly descr: string;
  readonly fortran: boolean;
  readonly dims: number[];
  /** Where the data begin. */
  readonly offset: number;
}

function headerOf(bytes: Uint8Array): Header {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = String.fromCharCode(...bytes.subarray(0, 6));
  if (magic !== kMagic || bytes.length < 12) throw new Error('it is no .npy file');
  const wide = (bytes[6] as number) > 1;
  const start = wide ? 12 : 10;
  const offset = start + (wide ? view.getUint32(8, true) : view.getUint16(8, true));
  if (offset > bytes.length) throw new Error('it ends in its header');
  const text = new TextDecoder().decode(bytes.subarray(start, offset));
  const descr = /'descr':\s*'([^']*)'/.exec(text)?.[1];
  const order = /'fortran_order':\s*(True|False)/.exec(text)?.[1];
  const shape = /'shape':\s*\(([\d\s,]*)\)/.exec(text)?.[1];
  if (descr === undefined) throw new Error('its header names no plain type: structured arrays are not read');
  if (order === undefined || shape === undefined) throw new Error('its header has no shape');
  const dims = shape
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(Number);
  return { descr, fortran: order === 'True', dims, offset };
}

function turned(bytes: Uint8Array, unit: number): void {
  for (let i = 0; i < bytes.length; i += unit) bytes.subarray(i, i + unit).reverse();
}

/** Elements (of `size` bytes) from the order where the first index runs fastest to the one where the last does. */
function fromFortran(bytes: Uint8Array, dims: readonly number[], size: number): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(bytes.length);
  const strides: number[] = [];
  dims.reduce((stride, dim, i) => {
    strides[i] = stride;
    return stride * dim;
  }, size);
  const index = dims.map(() => 0);
  for (let at = 0, from = 0; at < bytes.length; at += size) {
    result.set(bytes.subarray(from, from + size), at);
    for (let d = dims.length - 1; d >= 0; d--) {
      from += strides[d] as number;
      index[d] = (index[d] as number) + 1;
      if ((index[d] as number) < (dims[d] as number)) break;
      from -= (strides[d] as number) * (dims[d] as number);
      index[d] = 0;
    }
  }
  return result;
}

function textOf(bytes: Uint8Array, letters: number): string[] {
  const codes = new Uint32Array(bytes.buffer, 0, bytes.length / 4);
  return Array.from({ length: letters === 0 ? 0 : codes.length / letters }, (_, i) =>
    String.fromCodePoint(...codes.subarray(i * letters, (i + 1) * letters)).replace(/\0+$/, ''),
  );
}

/** The tensor in the bytes of a file. Throws Error with the reason in words where it is none. */
export function readNpy(bytes: Uint8Array): Tensor {
  const { descr, fortran, dims, offset } = headerOf(bytes);
  const [, order, kind] = /^([<>|=])(.*)$/.exec(descr) ?? [];
  const letters = /^U(\d+)$/.exec(kind ?? '')?.[1];
  const known = letters === undefined ? kTypes[kind ?? ''] : { type: 'string' as const, unit: 4 };
  if (!known) throw new Error(`its type '${descr}' is none that a tensor can have`);
  const size = letters === undefined ? Number((kind as string).slice(1)) : 4 * Number(letters);
  const wanted = dims.reduce((a, b) => a * b, size);
  if (bytes.length - offset !== wanted) {
    throw new Error(`its shape (${dims.join(', ')}) takes ${wanted} bytes, but ${bytes.length - offset} are there`);
  }
  let data = new Uint8Array(bytes.subarray(offset)); // a copy: aligned
  if (order === '>') turned(data, known.unit);
  if (fortran && dims.length > 1) data = fromFortran(data, dims, size);
  if (letters === '0') return new Tensor('string', Array(dims.reduce((a, b) => a * b, 1)).fill(''), dims);
  if (letters !== undefined) return new Tensor('string', textOf(data, Number(letters)), dims);
  const array = arrayOf(known.type) as NonNullable<ReturnType<typeof arrayOf>>;
  return new Tensor(known.type, new array(data.buffer, 0, data.length / array.BYTES_PER_ELEMENT), dims);
}

function descrOf(type: string): string {
  const kind = Object.keys(kTypes).find((key) => kTypes[key]?.type === type) as string;
  return `${kTypes[kind]?.unit === 1 ? '|' : '<'}${kind}`;
}

/** What numpy has no type for, in one that holds it exactly: small floats as float32, integers under 8 bits as 8. */
function storable(tensor: Tensor): { descr: string; data: Uint8Array } {
  const type: string = tensor.type;
  if (type === 'string') {
    const text = tensor.data as unknown as string[];
    const letters = Math.max(1, ...text.map((item) => [...item].length));
    const codes = new Uint32Array(text.length * letters);
    for (const [i, item] of text.entries()) {
      codes.set(
        Array.from(item, (letter) => letter.codePointAt(0) as number),
        i * letters,
      );
    }
    return { descr: `<U${letters}`, data: new Uint8Array(codes.buffer) };
  }
  const known = Object.values(kTypes).some((row) => row.type === type);
  const small = /^u?int[24]$/.test(type);
  const target = known ? type : small ? type.replace(/\d/, '8') : 'float32';
  let data = tensor.data as unknown as Uint8Array;
  if (small) data = Uint8Array.from(elementsOf(tensor) as ArrayLike<number>, (x) => x & 0xff);
  else if (!known) data = Float32Array.from(elementsOf(tensor) as ArrayLike<number>) as unknown as Uint8Array;
  return { descr: descrOf(target), data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/** The bytes of a .npy file, version 1. */
export function writeNpy(tensor: Tensor): Uint8Array {
  const { descr, data } = storable(tensor);
  const { dims } = tensor;
  const shape = dims.length === 1 ? `${dims[0]},` : dims.join(', ');
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;
  // The data begin at a multiple of 64 bytes; tensors have few dimensions, so version 1 is enough.
  const length = Math.ceil((10 + dictionary.length + 1) / 64) * 64;
  const file = new Uint8Array(length + data.length);
  const head = `${kMagic}\x01\x00`;
  for (let i = 0; i < head.length; i++) file[i] = head.charCodeAt(i);
  new DataView(file.buffer).setUint16(8, length - 10, true);
  file.set(new TextEncoder().encode(`${dictionary.padEnd(length - 11)}\n`), 10);
  file.set(data, length);
  return file;
}

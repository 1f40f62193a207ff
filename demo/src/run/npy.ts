// NumPy's .npy files: tensors from them and into them.
import type { PlainTensor } from '../engine/messages.js';
import { t } from '../i18n/index.js';
import { countOf, numbersOf } from './elements.js';

type ArrayType = { new (buffer: ArrayBuffer): PlainTensor['data']; readonly BYTES_PER_ELEMENT: number };
const kTypes: Readonly<Record<string, readonly [type: string, array: ArrayType]>> = {
  '|b1': ['bool', Uint8Array],
  '|i1': ['int8', Int8Array],
  '|u1': ['uint8', Uint8Array],
  '<i2': ['int16', Int16Array],
  '<u2': ['uint16', Uint16Array],
  '<i4': ['int32', Int32Array],
  '<u4': ['uint32', Uint32Array],
  '<i8': ['int64', BigInt64Array],
  '<u8': ['uint64', BigUint64Array],
  '<f2': ['float16', Uint16Array],
  '<f4': ['float32', Float32Array],
  '<f8': ['float64', Float64Array],
};
const kMagic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** `name`: of the file. Throws Error with what is wrong: another byte order, column order, or a type that tensors do not have. */
export function readNpy(name: string, buffer: ArrayBuffer): PlainTensor {
  const bytes = new Uint8Array(buffer);
  if (bytes.length < 12 || kMagic.some((byte, i) => bytes[i] !== byte)) throw new Error(t('notNpy', { name }));
  const view = new DataView(buffer);
  const wide = bytes[6] > 1;
  const start = wide ? 12 : 10;
  const offset = start + (wide ? view.getUint32(8, true) : view.getUint16(8, true));
  if (offset > bytes.length) throw new Error(t('npyHead', { name }));
  const header = new TextDecoder().decode(bytes.subarray(start, offset));
  const descr = /'descr':\s*'([^']*)'/.exec(header)?.[1] ?? '';
  const shape = /'shape':\s*\(([\d\s,]*)\)/.exec(header)?.[1];
  const known = kTypes[descr];
  if (!known) throw new Error(t('npyElements', { name, type: descr }));
  if (shape === undefined) throw new Error(t('npyNoShape', { name }));
  const dims = shape
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(Number);
  if (/'fortran_order':\s*True/.test(header) && dims.length > 1) throw new Error(t('npyOrder', { name }));
  const [type, array] = known;
  const wanted = countOf(dims) * array.BYTES_PER_ELEMENT;
  if (bytes.length - offset !== wanted) {
    throw new Error(t('npyCut', { name, wanted, count: bytes.length - offset }));
  }
  return { type, dims, data: new array(buffer.slice(offset)) };
}

/** The bytes of a file; types that numpy lacks become float32. Throws Error for text and packed types. */
export function writeNpy(tensor: PlainTensor): Blob {
  const known = Object.entries(kTypes).find(([, [type]]) => type === tensor.type);
  const numbers = known ? tensor.data : numbersOf(tensor);
  if (!numbers || !(known || numbers instanceof Float32Array)) throw new Error(`numpy has no type for ${tensor.type}`);
  const { dims } = tensor;
  const shape = dims.length === 1 ? `${dims[0]},` : dims.join(', ');
  const dictionary = `{'descr': '${known?.[0] ?? '<f4'}', 'fortran_order': False, 'shape': (${shape}), }`;
  const length = Math.ceil((11 + dictionary.length) / 64) * 64;
  const head = new Uint8Array(length);
  head.set([...kMagic, 1, 0]);
  new DataView(head.buffer).setUint16(8, length - 10, true);
  head.set(new TextEncoder().encode(`${dictionary.padEnd(length - 11)}\n`), 10);
  return new Blob([head, numbers as unknown as ArrayBufferView<ArrayBuffer>]);
}

// .npy files (NEP 1, version 1.0), as the page takes and gives them: float32 and int64, little-endian, in C order.

const kTypes = { float32: '<f4', int64: '<i8', int32: '<i4', uint8: '|u1', bool: '|b1' };
const kArrays = { float32: Float32Array, int64: BigInt64Array, int32: Int32Array, uint8: Uint8Array, bool: Uint8Array };

export function npyOf({ type, dims, data }) {
  const shape = dims.length === 1 ? `${dims[0]},` : dims.join(', ');
  const text = `{'descr': '${kTypes[type]}', 'fortran_order': False, 'shape': (${shape}), }`;
  const length = 64 * Math.ceil((10 + text.length + 1) / 64);
  const head = Buffer.alloc(length, ' ');
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(length - 10, 8);
  head.write(`${text}`, 10);
  head.write('\n', length - 1);
  return Buffer.concat([head, Buffer.from(data.buffer, data.byteOffset, data.byteLength)]);
}

/** {type, dims, data} of such a file. */
export function fromNpy(bytes) {
  const length = bytes.readUInt16LE(8);
  const text = bytes.toString('latin1', 10, 10 + length);
  const [, descr] = /'descr': '([^']+)'/.exec(text);
  const [, shape] = /'shape': \(([^)]*)\)/.exec(text);
  if (!/'fortran_order': False/.test(text)) throw new Error(`not in C order: ${text}`);
  const type = Object.keys(kTypes).find((name) => kTypes[name] === descr);
  const dims = shape
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(Number);
  const data = new kArrays[type](Uint8Array.from(bytes.subarray(10 + length)).buffer);
  return { type, dims, data };
}

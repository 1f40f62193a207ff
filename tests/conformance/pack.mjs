// Values of the suite's cases on their way into a page: a JSON text whose arrays of numbers lie behind it, aligned to 16.
const kArrays = [
  Int8Array,
  Uint8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
];
const aligned = (n) => Math.ceil(n / 16) * 16;

/** The bytes of a value of objects, arrays, maps, numbers, bigints, texts and typed arrays (a Buffer as Uint8Array). */
export function pack(value) {
  const parts = [];
  let at = 0;
  const text = JSON.stringify(value, function replace(key, json) {
    const v = this[key]; // a Buffer's toJSON has been called on json
    if (typeof v === 'bigint') return { $big: String(v) };
    if (v instanceof Map) return { $map: [...v] };
    if (!ArrayBuffer.isView(v)) return json;
    parts.push([at, new Uint8Array(v.buffer, v.byteOffset, v.byteLength)]);
    const array = kArrays.findIndex((type) => v instanceof type);
    const place = { $array: [array, at, v.length] };
    at = aligned(at + v.byteLength);
    return place;
  });
  const head = new TextEncoder().encode(text);
  const start = aligned(4 + head.length);
  const bytes = new Uint8Array(start + at);
  new DataView(bytes.buffer).setUint32(0, head.length, true);
  bytes.set(head, 4);
  for (const [offset, part] of parts) bytes.set(part, start + offset);
  return bytes;
}

/** The value of the ArrayBuffer with pack's bytes; its arrays share them. */
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const start = aligned(4 + length);
  return JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)), (_, v) => {
    if (v?.$big) return BigInt(v.$big);
    if (v?.$map) return new Map(v.$map);
    if (!v?.$array) return v;
    const [array, offset, count] = v.$array;
    return new kArrays[array](buffer, start + offset, count);
  });
}

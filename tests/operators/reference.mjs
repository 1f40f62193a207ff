// The stored references: reference/<file>.json has {rows: {id: [source, digest, values...]}, values: [text...]}.
import { existsSync, readFileSync } from 'node:fs';
import { kTypes } from '../conformance/dtypes.mjs';

const byName = new Map(kTypes.filter(Boolean).map((type) => [type.name, type]));
const pathOf = (file) => new URL(`reference/${file}.json`, import.meta.url);

/** A value as text: type, shape, and its bytes in base64; a sequence as texts. */
export function toText(value) {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(toText);
  const { type, dims, data } = value;
  const body =
    type === 'string'
      ? JSON.stringify(data)
      : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
  return `${type}[${dims}]${body}`;
}

export function fromText(text) {
  if (text === null) return null;
  if (Array.isArray(text)) return text.map(fromText);
  const [, type, dims, body] = /^(\w+)\[([\d,]*)\](.*)$/s.exec(text);
  const list = dims ? dims.split(',').map(Number) : [];
  if (type === 'string') return { type, dims: list, data: JSON.parse(body) };
  const bytes = new Uint8Array(Buffer.from(body, 'base64'));
  return { type, dims: list, data: new (byName.get(type).array)(bytes.buffer) };
}

/** Row id -> {source, digest, outputs}. */
export function readReferences(file) {
  if (!existsSync(pathOf(file))) return new Map();
  const { values, rows } = JSON.parse(readFileSync(pathOf(file), 'utf8'));
  return new Map(
    Object.entries(rows).map(([id, [source, digest, ...at]]) => [
      id,
      { source, digest, outputs: () => at.map((i) => fromText(i < 0 ? null : values[i])) },
    ]),
  );
}

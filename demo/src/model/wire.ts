// Protobuf messages as lists of values by field number.
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

export type Kind = 'int64' | 'int32' | 'float' | 'double' | 'uint64' | 'bytes' | 'string';
export type Schema = Readonly<Record<number, Kind>>;

const utf8 = new TextDecoder();

export class Fields {
  readonly #values = new Map<number, unknown[]>();

  /** Throws Error where the bytes are no message; fields that the schema does not name are passed over. */
  constructor(bytes: Uint8Array, schema: Schema) {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wire] = reader.tag();
      const kind = schema[number];
      if (kind === undefined) {
        reader.skip(wire, number);
        continue;
      }
      const list = this.#values.get(number) ?? [];
      if (list.length === 0) this.#values.set(number, list);
      if (kind === 'bytes' || kind === 'string') {
        if (wire !== WireType.LengthDelimited) throw new Error('a field has another type than ONNX gives it');
        const part = reader.bytes();
        list.push(kind === 'string' ? utf8.decode(part) : part);
      } else if (wire === WireType.LengthDelimited) {
        for (const end = reader.uint32() + reader.pos; reader.pos < end; ) list.push(reader[kind]());
      } else list.push(reader[kind]());
    }
  }

  has(field: number): boolean {
    return this.#values.has(field);
  }

  all<T>(field: number): readonly T[] {
    return (this.#values.get(field) ?? []) as T[];
  }

  text(field: number): string {
    return (this.#values.get(field)?.at(-1) as string | undefined) ?? '';
  }

  number(field: number): number {
    return Number(this.#values.get(field)?.at(-1) ?? 0);
  }

  bytes(field: number): Uint8Array | undefined {
    return this.#values.get(field)?.at(-1) as Uint8Array | undefined;
  }
}

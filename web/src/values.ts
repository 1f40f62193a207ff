// Values of JavaScript to those of the engine, and back.
import { arrayLength, arrayOf, dtypeName, dtypeNumber, isDType } from './dtypes.js';
import type { LocalEngine } from './engine.js';
import { invalidInput, messageOf, OnnxError, shown, withArticle } from './errors.js';
import { heldIn, heldTensor } from './held.js';
import type { NativeHeld, NativeTensor, NativeType, NativeValue } from './native.js';
import { sizeOf, Tensor } from './tensor.js';

/** Scalars in maps are plain: numbers, bigints (64-bit integers), strings, booleans. */
export type Scalar = number | bigint | string | boolean;
/** A tensor, a sequence, a map, or null for an optional without a value. */
export type OnnxValue = Tensor | readonly OnnxValue[] | ReadonlyMap<bigint | string, OnnxValue | Scalar> | null;

interface TensorLike {
  readonly type: Tensor.Type;
  readonly data: unknown;
  readonly dims: readonly number[];
}

export function isTensorLike(value: unknown): value is TensorLike {
  return typeof value === 'object' && value !== null && 'type' in value && 'dims' in value && 'data' in value;
}

export function typeText(type: NativeType): string {
  if (type.kind === 'tensor') {
    const shape = type.shape ? `[${type.shape.map((d) => (d === -1 ? '?' : d)).join(', ')}]` : '';
    return `${dtypeName(type.dtype) ?? ''} tensor${shape}`.trimStart();
  }
  const inner = type.element ? ` of ${typeText(type.element)}` : '';
  return type.kind === 'unknown' ? 'value' : `${type.kind}${inner}`;
}

function nativeTensor(value: TensorLike, where: string): NativeTensor {
  if (!isDType(value.type)) throw invalidInput(`${where}: there is no tensor type ${shown(value.type)}`);
  let tensor: { data: unknown; dims: readonly number[] } = value;
  try {
    // Tensors of other packages are looked at closely; for our own the lengths are enough.
    if (!(value instanceof Tensor)) tensor = new Tensor(value.type, value.data as number[], value.dims);
    const { data } = tensor;
    const length = (data as ArrayLike<unknown>).length;
    const wanted = arrayLength(value.type, sizeOf(tensor.dims));
    if (length !== wanted) {
      throw new Error(`the data has the length ${length}; ${value.type}[${tensor.dims.join(', ')}] needs ${wanted}`);
    }
    if (value.type === 'string' ? !Array.isArray(data) : !ArrayBuffer.isView(data)) {
      throw new Error(`the data of ${withArticle(value.type)} tensor is ${shown(data)}`);
    }
    if (Array.isArray(data)) {
      const other = data.findIndex((x) => typeof x !== 'string');
      if (other >= 0) throw new Error(`element ${other} of the data is ${shown(data[other])}, not a string`);
      // UTF-8 has no bytes for half of a pair: it would become another character.
      const half = data.findIndex((x) => /\p{Surrogate}/u.test(x));
      if (half >= 0) throw new Error(`element ${half} of the data has half of a surrogate pair: it is no Unicode text`);
    }
    const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data;
    return { dtype: dtypeNumber(value.type), dims: [...tensor.dims], data: bytes as Uint8Array | string[] };
  } catch (error) {
    throw invalidInput(`${where}: ${messageOf(error)}`);
  }
}

function scalar(value: Scalar, type: NativeType | undefined, where: string): NativeTensor {
  const byKind = { number: 'float32', bigint: 'int64', string: 'string', boolean: 'bool' } as const;
  const name = (type?.kind === 'tensor' && dtypeName(type.dtype)) || byKind[typeof value as keyof typeof byKind];
  return nativeTensor({ type: name, data: [value], dims: [] }, where);
}

function nativeMap(map: ReadonlyMap<unknown, unknown>, type: NativeType, where: string): NativeValue {
  const keys = [...map.keys()];
  const declared = type.kind === 'map' ? dtypeName(type.dtype) : undefined;
  const keyType = declared ?? (typeof keys[0] === 'string' ? 'string' : 'int64');
  const values = [...map.values()].map((value, i) => {
    const at = `${where}, value of the key ${shown(keys[i])}`;
    const plain = ['number', 'bigint', 'string', 'boolean'].includes(typeof value);
    return plain ? scalar(value as Scalar, type.element, at) : toNative(value, type.element ?? kUnknown, at);
  });
  return { keys: nativeTensor({ type: keyType, data: keys, dims: [keys.length] }, `${where}, its keys`), values };
}

export const kUnknown: NativeType = { kind: 'unknown', dtype: 0 };

/**
 * @param where how messages name the value; @param engine the one that it is for, which may hold it
 * @throws OnnxError (invalid_input)
 */
export function toNative(value: unknown, type: NativeType, where: string, engine?: unknown): NativeValue {
  if (value === null || value === undefined) return null;
  const held = heldIn(value, engine);
  if (held) return held;
  const inner = type.kind === 'optional' && type.element ? type.element : type;
  if (isTensorLike(value)) return nativeTensor(value, where);
  if (Array.isArray(value) && (inner.kind === 'sequence' || inner.kind === 'unknown')) {
    const element = inner.element ?? kUnknown;
    const items = value.map((item, i) => toNative(item, element, `${where}, item ${i}`));
    const first = items.find((item): item is NativeTensor => item !== null && 'data' in item);
    return { dtype: element.kind === 'tensor' && element.dtype ? element.dtype : (first?.dtype ?? 0), items };
  }
  if (value instanceof Map && (inner.kind === 'map' || inner.kind === 'unknown')) return nativeMap(value, inner, where);
  throw invalidInput(`${where} takes ${withArticle(typeText(inner))}, not ${shown(value)}`);
}

/** Disposes the tensors of feeds, in whatever form run() takes them. */
export function disposeAll(value: unknown): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  const { dispose } = value as { dispose?: unknown };
  if (isTensorLike(value)) {
    if (typeof dispose === 'function') dispose.call(value);
    return;
  }
  for (const part of value instanceof Map ? value.values() : Object.values(value)) disposeAll(part);
}

/** The bytes of a result as a tensor. */
function tensorOf({ dtype, dims, data }: NativeTensor): Tensor {
  const type = dtypeName(dtype) as Tensor.Type;
  const array = arrayOf(type);
  if (!array || !(data instanceof Uint8Array)) return new Tensor(type, data as string[], dims);
  const length = data.byteLength / array.BYTES_PER_ELEMENT;
  return new Tensor(type, new array(data.buffer, data.byteOffset, length), dims);
}

function plainIfScalar(value: OnnxValue): OnnxValue | Scalar {
  if (!(value instanceof Tensor) || value.dims.length > 0) return value;
  const element = value.data[0] as Scalar;
  return value.type === 'bool' ? element !== 0 : element;
}

function keysOf(keys: NativeTensor): ArrayLike<bigint | string> {
  return tensorOf(keys).data as ArrayLike<bigint | string>;
}

export function fromNative(value: NativeValue, engine?: unknown): OnnxValue {
  if (value === null) return null;
  if ('held' in value) return heldTensor(engine as LocalEngine, value);
  if ('items' in value) return value.items.map((item) => fromNative(item));
  if ('keys' in value) {
    const keys = keysOf(value.keys);
    return new Map(value.values.map((v, i) => [keys[i] as bigint | string, plainIfScalar(fromNative(v))]));
  }
  return tensorOf(value);
}

/**
 * The same value with float64 in place of int64 and uint64 tensors.
 * @throws OnnxError (runtime_error) for an integer that no number holds exactly
 */
export function withNumbers(value: OnnxValue, where: string): OnnxValue {
  if (Array.isArray(value)) return value.map((item, i) => withNumbers(item, `${where}, item ${i}`));
  if (!(value instanceof Tensor) || (value.type !== 'int64' && value.type !== 'uint64')) return value;
  const data = Float64Array.from(value.data as BigInt64Array, Number);
  const wide = data.findIndex((x) => !Number.isSafeInteger(x));
  if (wide < 0) return new Tensor('float64', data, value.dims);
  const element = String((value.data as BigInt64Array)[wide]);
  throw new OnnxError('runtime_error', `${where}: element ${wide} is ${element}, which no number holds exactly`);
}

/** A tensor that a result shall be written into. */
export function targetOf(value: unknown, where: string, engine?: unknown): NativeTensor | NativeHeld {
  const held = heldIn(value, engine);
  if (held) {
    if ('held' in (held as object)) return held as NativeHeld;
    throw invalidInput(`${where} takes a Tensor to write into, but another session holds this one`);
  }
  if (!isTensorLike(value)) throw invalidInput(`${where} takes a Tensor to write into, or null`);
  return nativeTensor(value, where);
}

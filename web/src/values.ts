// Values of JavaScript to those of the engine, and back.
import { arrayLength, arrayOf, dtypeName, dtypeNumber, isDType } from './dtypes.js';
import { invalidInput, messageOf, shown } from './errors.js';
import type { NativeTensor, NativeType, NativeValue } from './native.js';
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

function isTensorLike(value: unknown): value is TensorLike {
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
      throw new Error(`the data of a ${value.type} tensor is ${shown(data)}`);
    }
    if (Array.isArray(data)) {
      const other = data.findIndex((x) => typeof x !== 'string');
      if (other >= 0) throw new Error(`element ${other} of the data is ${shown(data[other])}, not a string`);
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

const kUnknown: NativeType = { kind: 'unknown', dtype: 0 };

/** @param where how messages name the value; @throws OnnxError (invalid_input) */
export function toNative(value: unknown, type: NativeType, where: string): NativeValue {
  if (value === null || value === undefined) return null;
  const inner = type.kind === 'optional' && type.element ? type.element : type;
  if (isTensorLike(value)) return nativeTensor(value, where);
  if (Array.isArray(value) && (inner.kind === 'sequence' || inner.kind === 'unknown')) {
    const element = inner.element ?? kUnknown;
    const items = value.map((item, i) => toNative(item, element, `${where}, item ${i}`));
    const first = items.find((item): item is NativeTensor => item !== null && 'data' in item);
    return { dtype: element.kind === 'tensor' && element.dtype ? element.dtype : (first?.dtype ?? 0), items };
  }
  if (value instanceof Map && (inner.kind === 'map' || inner.kind === 'unknown')) return nativeMap(value, inner, where);
  throw invalidInput(`${where} takes a ${typeText(inner)}, not ${shown(value)}`);
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

export function fromNative(value: NativeValue): OnnxValue {
  if (value === null) return null;
  if ('items' in value) return value.items.map(fromNative);
  if ('keys' in value) {
    const keys = tensorOf(value.keys).data as ArrayLike<bigint | string>;
    return new Map(value.values.map((v, i) => [keys[i] as bigint | string, plainIfScalar(fromNative(v))]));
  }
  return tensorOf(value);
}

/** A tensor that a result shall be written into. */
export function targetOf(value: unknown, where: string): NativeTensor {
  if (!isTensorLike(value)) throw invalidInput(`${where} takes a Tensor to write into, or null`);
  return nativeTensor(value, where);
}

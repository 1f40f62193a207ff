// Tensors: a type, dimensions, and the elements in a typed array.

import { kDispose } from './dispose.js';
import {
  arrayLength,
  arrayOf,
  bitsOf,
  isDType,
  isOpaque,
  type NumericArrayConstructor,
  typeOfArray,
} from './dtypes.js';
import { asOnnxError, invalidArgument, OnnxError, shown, withArticle } from './errors.js';
import { late } from './late.js';
import {
  type FromImageOptions,
  type ImageSource,
  type ToImageOptions,
  toDataURL,
  toImageData,
} from './tensor_image.js';
import type { TensorConstructor, Tensor as TensorInterface } from './tensor_types.js';

type Type = TensorInterface.Type;
type Data = TensorInterface.DataType;

/** The number of elements; throws OnnxError for what is no list of dimensions. */
export function sizeOf(dims: unknown): number {
  if (!Array.isArray(dims)) throw invalidArgument("a tensor's dims must be an array of numbers");
  let size = 1;
  for (let i = 0; i < dims.length; ++i) {
    const dim = dims[i];
    if (!Number.isInteger(dim) || dim < 0 || dim >= 2 ** 63) {
      throw invalidArgument(`dims[${i}] is ${shown(dim)}; a dimension must be a whole number from 0 on`);
    }
    size *= dim;
  }
  // Where one dimension is 0 the others may be as large as the standard allows.
  if (dims.includes(0)) return 0;
  if (!Number.isSafeInteger(size)) throw invalidArgument(`dims [${dims.join(', ')}] make too many elements`);
  return size;
}

function fromList(type: Type, list: readonly unknown[], array: NumericArrayConstructor): Data {
  if (isOpaque(type)) {
    throw invalidArgument(
      `${withArticle(type)} tensor cannot be made from numbers: pass their bits in ${withArticle(array.name)}`,
    );
  }
  const wide = type === 'int64' || type === 'uint64';
  const data = new array(list.length);
  for (let i = 0; i < list.length; ++i) {
    const x = list[i];
    const fits =
      typeof x === 'number' || (wide && typeof x === 'bigint') || (type === 'bool' && typeof x === 'boolean');
    if (!fits || (wide && typeof x === 'number' && !(Number.isInteger(x) && Math.abs(x) < 2 ** 64))) {
      throw invalidArgument(`element ${i} of the data is ${shown(x)}, which is no ${type}`);
    }
    data[i] = wide ? BigInt(x as number | bigint) : type === 'bool' ? (x ? 1 : 0) : (x as number);
  }
  return data;
}

const isPlain = (data: unknown): data is Int32Array =>
  data instanceof Int32Array || data instanceof Uint32Array || data instanceof Float64Array;

function convert(type: Type, data: unknown): Data {
  const array = arrayOf(type);
  if (!array) {
    if (!Array.isArray(data)) throw invalidArgument(`a string tensor takes an array of strings, not ${shown(data)}`);
    const other = data.findIndex((x) => typeof x !== 'string');
    if (other >= 0) throw invalidArgument(`element ${other} of the data is ${shown(data[other])}, not a string`);
    return data;
  }
  if (data instanceof array) return data as Data;
  if (Array.isArray(data)) return fromList(type, data, array);
  if (data instanceof Uint8ClampedArray && type === 'uint8') return Uint8Array.from(data);
  // 64-bit integers may come in any array of numbers.
  if ((type === 'int64' || type === 'uint64') && isPlain(data)) {
    return fromList(type, Array.from(data), array);
  }
  // Half floats may come as bits where the engine has an array for them.
  if (data instanceof Uint16Array && type === 'float16') {
    return new array(data.buffer, data.byteOffset, data.length) as Data;
  }
  throw invalidArgument(`${withArticle(type)} tensor takes ${withArticle(array.name)}, not ${shown(data)}`);
}

function inferType(data: unknown): Type {
  if (Array.isArray(data)) {
    if (typeof data[0] === 'string') return 'string';
    if (typeof data[0] === 'boolean') return 'bool';
    throw invalidArgument(
      `the type of a tensor cannot be told from ${data.length ? shown(data[0]) : 'an empty array'}`,
    );
  }
  const type = typeOfArray(data);
  if (!type) throw invalidArgument(`no tensor can be made of ${shown(data)}`);
  return type;
}

function elementsIn(type: Type, data: Data): number {
  return ArrayBuffer.isView(data) ? Math.floor((data.byteLength * 8) / bitsOf(type)) : data.length;
}

function noGpu(): OnnxError {
  return new OnnxError(
    'unsupported_platform',
    "tensors lie in the CPU's memory here: there are no textures or GPU buffers",
  );
}

/** Of the arguments (type, data, dims?) or (data, dims?). */
function partsOf(first: unknown, second: unknown, third: unknown) {
  const typed = typeof first === 'string';
  if (typed && !isDType(first)) throw invalidArgument(`there is no tensor type "${first}"`);
  const type = typed ? (first as Type) : inferType(first);
  const data = convert(type, typed ? second : first);
  const given = typed ? third : second;
  const size = given === undefined ? elementsIn(type, data) : sizeOf(given);
  const dims = given === undefined ? [size] : [...(given as number[])];
  const length = arrayLength(type, size);
  if (length !== data.length) {
    throw invalidArgument(`the data has the length ${data.length}; ${type}[${dims.join(', ')}] needs ${length}`);
  }
  return { type, data, dims, size };
}

export const Tensor = class Tensor {
  readonly type: Type;
  readonly dims: readonly number[];
  readonly size: number;
  // Not a #private field: frameworks wrap objects in proxies, which those refuse.
  private cpuData: Data | undefined;
  declare private pinned?: true;

  constructor(first: unknown, second?: unknown, third?: unknown) {
    try {
      const parts = partsOf(first, second, third);
      this.type = parts.type;
      this.dims = parts.dims;
      this.size = parts.size;
      this.cpuData = parts.data;
    } catch (error) {
      throw asOnnxError(error, 'new Tensor()');
    }
  }
  static async fromImage(image: ImageSource, options: FromImageOptions = {}) {
    try {
      const { pixelsOf } = await late('image_pixels', () => import('./image_pixels.js'));
      const { data, dims } = await pixelsOf(image, options);
      return new Tensor(data, dims);
    } catch (error) {
      throw asOnnxError(error, 'Tensor.fromImage()');
    }
  }

  static fromPinnedBuffer(type: Type, buffer: Data, dims?: readonly number[]) {
    const tensor = new Tensor(type, buffer, dims);
    tensor.pinned = true;
    return tensor as TensorInterface;
  }

  static fromTexture(): never {
    throw noGpu();
  }

  static fromGpuBuffer(): never {
    throw noGpu();
  }

  static fromMLTensor(): never {
    throw noGpu();
  }

  get texture(): never {
    throw noGpu();
  }

  get gpuBuffer(): never {
    throw noGpu();
  }

  get mlTensor(): never {
    throw noGpu();
  }

  get data(): Data {
    if (!this.cpuData) throw invalidArgument('the tensor is disposed, or was given away (transfer: true)');
    return this.cpuData;
  }

  get location(): TensorInterface.DataLocation {
    return !this.cpuData ? 'none' : this.pinned ? 'cpu-pinned' : 'cpu';
  }

  async getData(_releaseData?: boolean): Promise<Data> {
    return this.data;
  }

  dispose(): void {
    this.cpuData = undefined;
  }

  reshape(dims: readonly number[]): Tensor {
    return new Tensor(this.type, this.data, dims);
  }

  toImageData(options: ToImageOptions = {}): ImageData {
    try {
      return toImageData(this.type, this.data, this.dims, options);
    } catch (error) {
      throw asOnnxError(error, 'toImageData()');
    }
  }

  toDataURL(options: ToImageOptions = {}): string {
    try {
      return toDataURL(this.toImageData(options));
    } catch (error) {
      throw asOnnxError(error, 'toDataURL()');
    }
  }

  [kDispose](): void {
    this.dispose();
  }
} as unknown as TensorConstructor;
export interface Tensor extends TensorInterface {}
export declare namespace Tensor {
  type Type = TensorInterface.Type;
  type DataTypeMap = TensorInterface.DataTypeMap;
  type DataType = TensorInterface.DataType;
  type ElementTypeMap = TensorInterface.ElementTypeMap;
  type ElementType = TensorInterface.ElementType;
  type DataLocation = TensorInterface.DataLocation;
  type CpuPinnedDataTypes = TensorInterface.CpuPinnedDataTypes;
  type TextureDataTypes = TensorInterface.TextureDataTypes;
  type GpuBufferDataTypes = TensorInterface.GpuBufferDataTypes;
  type MLTensorDataTypes = TensorInterface.MLTensorDataTypes;
  type TextureType = TensorInterface.TextureType;
  type GpuBufferType = TensorInterface.GpuBufferType;
  type GpuBufferTypeFallback = TensorInterface.GpuBufferTypeFallback;
  type MLTensorType = TensorInterface.MLTensorType;
  type MLTensorTypeFallback = TensorInterface.MLTensorTypeFallback;
}

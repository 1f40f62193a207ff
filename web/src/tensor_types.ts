// The types of tensors, by the names of onnxruntime-common.
/// <reference lib="esnext.disposable" preserve="true" />
import type { FromImageOptions, ImageSource, ToImageOptions } from './tensor_image.js';

/** A tensor whose element type is known to TypeScript. */
export interface TypedTensor<T extends Tensor.Type> {
  readonly type: T;
  readonly dims: readonly number[];
  /** Number of elements. */
  readonly size: number;
  /** The elements; throws OnnxError once disposed. */
  readonly data: Tensor.DataTypeMap[T];
  /** 'none' once disposed. */
  readonly location: Tensor.DataLocation;
  /** Tensors in the memory of a GPU do not exist here: these throw OnnxError. */
  readonly texture: Tensor.TextureType;
  readonly gpuBuffer: Tensor.GpuBufferType;
  readonly mlTensor: Tensor.MLTensorType;
  /** The same as `data`. `releaseData` disposes a result that stays in its session's heap; others keep their data. */
  getData(releaseData?: boolean): Promise<Tensor.DataTypeMap[T]>;
  /** Lets go of the data. */
  dispose(): void;
  /** The same data under another shape of as many elements. */
  reshape(dims: readonly number[]): TypedTensor<T>;
  /** Browsers: the tensor (3 or 4 channels, or 1) as an image. */
  toImageData(options?: ToImageOptions): ImageData;
  toDataURL(options?: ToImageOptions): string;
  [Symbol.dispose](): void;
}

export interface Tensor extends TypedTensor<Tensor.Type> {}

export declare namespace Tensor {
  interface DataTypeMap {
    float32: Float32Array;
    uint8: Uint8Array;
    int8: Int8Array;
    uint16: Uint16Array;
    int16: Int16Array;
    int32: Int32Array;
    int64: BigInt64Array;
    /** Unicode text: a run refuses half of a surrogate pair, for which UTF-8 has no bytes. */
    string: string[];
    bool: Uint8Array;
    /** A Float16Array where the engine has that; its bits otherwise. */
    float16: Uint16Array;
    float64: Float64Array;
    uint32: Uint32Array;
    uint64: BigUint64Array;
    /** Real and imaginary parts, interleaved. */
    complex64: Float32Array;
    complex128: Float64Array;
    /** Its bits. */
    bfloat16: Uint16Array;
    float8e4m3fn: Uint8Array;
    float8e4m3fnuz: Uint8Array;
    float8e5m2: Uint8Array;
    float8e5m2fnuz: Uint8Array;
    float8e8m0: Uint8Array;
    /** Packed, the first element in the low bits. */
    uint4: Uint8Array;
    int4: Uint8Array;
    float4e2m1: Uint8Array;
    uint2: Uint8Array;
    int2: Uint8Array;
  }
  interface ElementTypeMap {
    float32: number;
    uint8: number;
    int8: number;
    uint16: number;
    int16: number;
    int32: number;
    int64: bigint;
    string: string;
    bool: boolean;
    float16: number;
    float64: number;
    uint32: number;
    uint64: bigint;
    complex64: number;
    complex128: number;
    bfloat16: number;
    float8e4m3fn: number;
    float8e4m3fnuz: number;
    float8e5m2: number;
    float8e5m2fnuz: number;
    float8e8m0: number;
    uint4: number;
    int4: number;
    float4e2m1: number;
    uint2: number;
    int2: number;
  }
  type Type = keyof DataTypeMap;
  type DataType = DataTypeMap[Type];
  type ElementType = ElementTypeMap[Type];
  /** Only 'none', 'cpu' and 'cpu-pinned' (a result in its session's heap, or what fromPinnedBuffer() made) occur; the others are there for programs that ask for them. */
  type DataLocation = 'none' | 'cpu' | 'cpu-pinned' | 'texture' | 'gpu-buffer' | 'ml-tensor';
  type CpuPinnedDataTypes = Exclude<Type, 'string'>;
  type TextureDataTypes = 'float32';
  type GpuBufferDataTypes = 'float32' | 'float16' | 'int32' | 'int64' | 'uint32' | 'uint8' | 'bool';
  type MLTensorDataTypes = GpuBufferDataTypes | 'int8' | 'uint64' | 'uint4' | 'int4';
  type TextureType = WebGLTexture;
  type GpuBufferTypeFallback = { readonly size: number; readonly mapState: 'unmapped' | 'pending' | 'mapped' };
  type GpuBufferType = GpuBufferTypeFallback;
  type MLTensorTypeFallback = { destroy(): void };
  type MLTensorType = MLTensorTypeFallback;
}

/** What a tensor can be made from, by type. */
export type TensorInput<T extends Tensor.Type> =
  | Tensor.DataTypeMap[T]
  | (T extends 'string' ? readonly string[] : never)
  | (T extends 'bool' ? readonly boolean[] | readonly number[] : never)
  | (T extends 'int64' | 'uint64'
      ? readonly bigint[] | readonly number[] | Int32Array | Uint32Array | Float64Array
      : never)
  | (T extends 'uint8' ? Uint8ClampedArray : never)
  | (T extends 'string' | 'bool' ? never : readonly number[]);

export interface TensorConstructor {
  /** @throws OnnxError (invalid_argument) where type, data and dims do not fit each other */
  new <T extends Tensor.Type>(type: T, data: TensorInput<T>, dims?: readonly number[]): TypedTensor<T>;
  /** For programs that are generic in the type themselves. */
  new <T extends Exclude<Tensor.Type, 'string' | 'bool'>>(
    type: T,
    data: Tensor.DataTypeMap[T] | readonly number[],
    dims?: readonly number[],
  ): TypedTensor<T>;
  new <T extends 'int64' | 'uint64'>(
    type: T,
    data: Tensor.DataTypeMap[T] | readonly number[] | readonly bigint[],
    dims?: readonly number[],
  ): TypedTensor<T>;
  new (data: Float32Array, dims?: readonly number[]): TypedTensor<'float32'>;
  new (data: Int8Array, dims?: readonly number[]): TypedTensor<'int8'>;
  new (data: Uint8Array | Uint8ClampedArray, dims?: readonly number[]): TypedTensor<'uint8'>;
  new (data: Uint16Array, dims?: readonly number[]): TypedTensor<'uint16'>;
  new (data: Int16Array, dims?: readonly number[]): TypedTensor<'int16'>;
  new (data: Int32Array, dims?: readonly number[]): TypedTensor<'int32'>;
  new (data: BigInt64Array, dims?: readonly number[]): TypedTensor<'int64'>;
  new (data: readonly string[], dims?: readonly number[]): TypedTensor<'string'>;
  new (data: readonly boolean[], dims?: readonly number[]): TypedTensor<'bool'>;
  new (data: Float64Array, dims?: readonly number[]): TypedTensor<'float64'>;
  new (data: Uint32Array, dims?: readonly number[]): TypedTensor<'uint32'>;
  new (data: BigUint64Array, dims?: readonly number[]): TypedTensor<'uint64'>;
  new (
    type: Tensor.Type,
    data: Tensor.DataType | readonly number[] | readonly bigint[] | readonly string[] | readonly boolean[],
    dims?: readonly number[],
  ): Tensor;
  new (data: Tensor.DataType, dims?: readonly number[]): Tensor;
  readonly prototype: Tensor;
  /** Browsers: float32 or uint8, NCHW, from pixels. */
  fromImage(image: ImageSource, options?: FromImageOptions): Promise<TypedTensor<'float32'> | TypedTensor<'uint8'>>;
  /** The same as `new Tensor(type, buffer, dims)`, but for its `location`. */
  fromPinnedBuffer<T extends Tensor.CpuPinnedDataTypes>(
    type: T,
    buffer: Tensor.DataTypeMap[T],
    dims?: readonly number[],
  ): TypedTensor<T>;
  /** @throws OnnxError (unsupported_platform) always, as the next two: results and feeds lie in the CPU's memory */
  fromTexture(texture: Tensor.TextureType, options: object): TypedTensor<'float32'>;
  fromGpuBuffer<T extends Tensor.GpuBufferDataTypes>(
    buffer: Tensor.GpuBufferType,
    options: { readonly dataType?: T },
  ): TypedTensor<T>;
  fromMLTensor<T extends Tensor.MLTensorDataTypes>(
    tensor: Tensor.MLTensorType,
    options: { readonly dataType?: T },
  ): TypedTensor<T>;
}

// The rest of onnxruntime-common's names, so that programs and types written for it find them.
import { OnnxError } from './errors.js';
import type { ExternalDataFile } from './external_data.js';
import type { InferenceSession } from './session.js';
import type { ModelSource } from './source.js';
import type { FromImageOptions, PerChannel, ToImageOptions } from './tensor_image.js';
import type { Tensor, TensorConstructor } from './tensor_types.js';
import type { OnnxValue } from './values.js';

export type FileUrlOrPath = string;
export type FileBlob = Blob;
export type FileData = Uint8Array | ArrayBufferLike;
export type FileType = ModelSource;
export type ExternalDataFileType = ExternalDataFile;
export interface ExternalDataFileDescription {
  data: ModelSource;
  path: string;
}
export interface OnnxModelOptions {
  externalData?: readonly ExternalDataFile[];
}
export type NonTensorType = Exclude<OnnxValue, Tensor>;
export type OnnxValueDataLocation = Tensor.DataLocation;

export type ImageTensorLayout = 'NHWC' | 'NCHW';
export interface OptionsFormat extends Pick<ToImageOptions, 'format'> {}
export interface OptionsTensorFormat extends Pick<FromImageOptions, 'tensorFormat'> {}
export interface OptionsTensorDataType extends Pick<FromImageOptions, 'dataType'> {}
export interface OptionsTensorLayout {
  tensorLayout?: ImageTensorLayout;
}
export interface OptionsDimensions {
  height?: number;
  width?: number;
}
export interface OptionResizedDimensions {
  resizedHeight?: number;
  resizedWidth?: number;
}
export interface OptionsNormalizationParameters {
  norm?: { bias?: PerChannel; mean?: PerChannel };
}
export interface TensorFromImageDataOptions extends FromImageOptions {}
export interface TensorFromImageElementOptions extends FromImageOptions {}
export interface TensorFromUrlOptions extends FromImageOptions, OptionsDimensions {}
export interface TensorFromImageBitmapOptions extends FromImageOptions {}
export interface TensorToDataUrlOptions extends ToImageOptions {}
export interface TensorToImageDataOptions extends ToImageOptions {}
/** There are tensors in the memory of the CPU only: the functions that would take these throw. */
export interface TensorFromTextureOptions<T extends Tensor.Type = 'float32'> extends Required<OptionsDimensions> {
  download?(): Promise<Tensor.DataTypeMap[T]>;
  dispose?(): void;
}
export interface TensorFromGpuBufferOptions<T extends Tensor.Type = Tensor.Type> {
  readonly dims: readonly number[];
  readonly dataType?: T;
  download?(): Promise<Tensor.DataTypeMap[T]>;
  dispose?(): void;
}
export interface TensorFromMLTensorOptions<T extends Tensor.Type = Tensor.Type> extends TensorFromGpuBufferOptions<T> {}
export interface CpuPinnedConstructorParameters<T extends Tensor.Type = Tensor.Type> {
  readonly location: 'cpu-pinned';
  readonly type: T;
  readonly data: Tensor.DataTypeMap[T];
  readonly dims: readonly number[];
}
export interface TextureConstructorParameters<T extends Tensor.Type = 'float32'> extends TensorFromTextureOptions<T> {
  readonly location: 'texture';
}
export interface GpuBufferConstructorParameters<T extends Tensor.Type = Tensor.Type>
  extends TensorFromGpuBufferOptions<T> {
  readonly location: 'gpu-buffer';
}
export interface MLTensorConstructorParameters<T extends Tensor.Type = Tensor.Type>
  extends TensorFromMLTensorOptions<T> {
  readonly location: 'ml-tensor';
}
export type TensorFactory = Pick<
  TensorConstructor,
  'fromImage' | 'fromPinnedBuffer' | 'fromTexture' | 'fromGpuBuffer' | 'fromMLTensor'
>;
export type ConversionUtils = Pick<Tensor, 'toDataURL' | 'toImageData'>;
export type TypedShapeUtils<T extends Tensor.Type> = { reshape(dims: readonly number[]): { readonly type: T } };
export type InferenceSessionFactory = Pick<typeof InferenceSession, 'create'>;

export declare namespace SessionHandler {
  type FeedsType = InferenceSession.OnnxValueMapType;
  type FetchesType = InferenceSession.NullableOnnxValueMapType;
  type ReturnType = InferenceSession.OnnxValueMapType;
}

/** What registers itself with onnxruntime-common; here there is one backend, and it is always there. */
export interface Backend {
  init(backendName: string): Promise<void>;
  createInferenceSessionHandler(
    uriOrBuffer: string | Uint8Array,
    options?: InferenceSession.SessionOptions,
  ): Promise<InferenceSessionHandler>;
}
export interface InferenceSessionHandler {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata: readonly InferenceSession.ValueMetadata[];
  readonly outputMetadata: readonly InferenceSession.ValueMetadata[];
  dispose(): Promise<void>;
  startProfiling(): void;
  endProfiling(): void;
  run(
    feeds: SessionHandler.FeedsType,
    fetches: SessionHandler.FetchesType,
    options: InferenceSession.RunOptions,
  ): Promise<SessionHandler.ReturnType>;
}

/** Other backends cannot be added. @throws OnnxError (invalid_argument) always */
export function registerBackend(name: string, _backend?: Backend, _priority?: number): void {
  const message = `no backend can be added ("${String(name)}"): to add Sardonyx to onnxruntime-common, import 'sardonyx/ort-backend'`;
  throw new OnnxError('invalid_argument', message);
}

/** Do nothing: session.profile() says more. */
export const TRACE = (_deviceType: string, _label: string): void => {};
export const TRACE_FUNC_BEGIN = (_extraMsg?: string): void => {};
export const TRACE_FUNC_END = (_extraMsg?: string): void => {};
export const TRACE_EVENT_BEGIN = (_extraMsg?: string): void => {};
export const TRACE_EVENT_END = (_extraMsg?: string): void => {};

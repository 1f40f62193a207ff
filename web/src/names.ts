// The public names of the package.
import './ambient.js';

export {
  type Backend,
  type ConversionUtils,
  type CpuPinnedConstructorParameters,
  type ExternalDataFileDescription,
  type ExternalDataFileType,
  type FileBlob,
  type FileData,
  type FileType,
  type FileUrlOrPath,
  type GpuBufferConstructorParameters,
  type ImageTensorLayout,
  type InferenceSessionFactory,
  type InferenceSessionHandler,
  type MLTensorConstructorParameters,
  type NonTensorType,
  type OnnxModelOptions,
  type OnnxValueDataLocation,
  type OptionResizedDimensions,
  type OptionsDimensions,
  type OptionsFormat,
  type OptionsNormalizationParameters,
  type OptionsTensorDataType,
  type OptionsTensorFormat,
  type OptionsTensorLayout,
  registerBackend,
  type SessionHandler,
  type TensorFactory,
  type TensorFromGpuBufferOptions,
  type TensorFromImageBitmapOptions,
  type TensorFromImageDataOptions,
  type TensorFromImageElementOptions,
  type TensorFromMLTensorOptions,
  type TensorFromTextureOptions,
  type TensorFromUrlOptions,
  type TensorToDataUrlOptions,
  type TensorToImageDataOptions,
  type TextureConstructorParameters,
  TRACE,
  TRACE_EVENT_BEGIN,
  TRACE_EVENT_END,
  TRACE_FUNC_BEGIN,
  TRACE_FUNC_END,
} from './compat.js';
export type { SessionInfo } from './create_engine.js';
export {
  type CustomOperator,
  type OperatorAttributes,
  registerOperator,
  type TensorSketch,
} from './custom_operators.js';
export { type Env, env, type WasmFlags, type WasmPaths } from './env.js';
export { OnnxError, type OnnxErrorCode, type OnnxErrorDetails } from './errors.js';
export type { ExternalDataFile } from './external_data.js';
export type { MemoryUse, ModelMetadata, ProfileEntry } from './native.js';
export type { CreateProgress, RunOptions, SessionOptions } from './options.js';
export { InferenceSession } from './session.js';
export type { ModelSource } from './source.js';
export { Tensor } from './tensor.js';
export type { FromImageOptions, ImageFormat, ImageSource, PerChannel, ToImageOptions } from './tensor_image.js';
export type { TensorConstructor, TensorInput, TypedTensor } from './tensor_types.js';
export { type ChromeTrace, chromeTrace, type TraceEvent } from './trace.js';
export type { OnnxValue, Scalar } from './values.js';

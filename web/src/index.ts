// The public names of the package.
export { type Env, env, type WasmFlags, type WasmPaths } from './env.js';
export { OnnxError, type OnnxErrorCode } from './errors.js';
export type { ExternalDataFile } from './external_data.js';
export type { SessionInfo } from './module.js';
export type { MemoryUse, ModelMetadata, ProfileEntry } from './native.js';
export type { CreateProgress } from './options.js';
export { InferenceSession } from './session.js';
export type { ModelSource } from './source.js';
export { Tensor } from './tensor.js';
export type { FromImageOptions, ImageFormat, ImageSource, PerChannel, ToImageOptions } from './tensor_image.js';
export type { TensorConstructor, TensorInput, TypedTensor } from './tensor_types.js';
export type { OnnxValue, Scalar } from './values.js';

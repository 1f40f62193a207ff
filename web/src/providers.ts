// Types of the execution providers that other runtimes have, by the names of onnxruntime-common: programs may list them
// before 'wasm' or 'cpu', which are the ones that exist here (options.ts).

export interface ExecutionProviderOption {
  readonly name: string;
}
/** One that does not exist here: passed over, or refused where no other follows. */
interface Absent<Name extends string> extends ExecutionProviderOption {
  readonly name: Name;
}
export interface WebAssemblyExecutionProviderOption extends ExecutionProviderOption {
  readonly name: 'wasm';
}
export interface CpuExecutionProviderOption extends ExecutionProviderOption {
  readonly name: 'cpu';
  useArena?: boolean;
}
export interface CudaExecutionProviderOption extends Absent<'cuda'> {
  deviceId?: number;
}
export interface DmlExecutionProviderOption extends Absent<'dml'> {
  deviceId?: number;
}
export interface TensorRtExecutionProviderOption extends Absent<'tensorrt'> {
  deviceId?: number;
}
export interface WebGLExecutionProviderOption extends Absent<'webgl'> {}
export interface XnnpackExecutionProviderOption extends Absent<'xnnpack'> {}
type CacheMode = 'disabled' | 'lazyRelease' | 'simple' | 'bucket';
export interface WebGpuExecutionProviderOption extends Absent<'webgpu'> {
  preferredLayout?: 'NCHW' | 'NHWC';
  forceCpuNodeNames?: readonly string[];
  validationMode?: 'disabled' | 'wgpuOnly' | 'basic' | 'full';
  enableRobustness?: boolean;
  storageBufferCacheMode?: CacheMode;
  uniformBufferCacheMode?: CacheMode;
  queryResolveBufferCacheMode?: CacheMode;
  defaultBufferCacheMode?: CacheMode;
  device?: unknown;
}
export interface WebNNExecutionProviderName extends Absent<'webnn'> {}
export interface WebNNContextOptions {
  deviceType?: 'cpu' | 'gpu' | 'npu';
  numThreads?: number;
  powerPreference?: 'default' | 'low-power' | 'high-performance';
}
export interface WebNNOptionsWithoutMLContext extends WebNNExecutionProviderName, WebNNContextOptions {
  context?: never;
}
export interface WebNNOptionsWithMLContext extends WebNNExecutionProviderName, WebNNContextOptions {
  context: unknown;
}
export interface WebNNOptionsWebGpu extends WebNNExecutionProviderName {
  context: unknown;
  gpuDevice: unknown;
}
export type WebNNExecutionProviderOption =
  | WebNNOptionsWithoutMLContext
  | WebNNOptionsWithMLContext
  | WebNNOptionsWebGpu;
export interface QnnExecutionProviderOption extends Absent<'qnn'> {
  backendType?: string;
  backendPath?: string;
  enableFp16Precision?: boolean;
}
export interface CoreMLExecutionProviderOption extends Absent<'coreml'> {
  coreMlFlags?: number;
  useCPUOnly?: boolean;
  useCPUAndGPU?: boolean;
  enableOnSubgraph?: boolean;
  onlyEnableDeviceWithANE?: boolean;
}
export interface NnapiExecutionProviderOption extends Absent<'nnapi'> {
  useFP16?: boolean;
  useNCHW?: boolean;
  cpuDisabled?: boolean;
  cpuOnly?: boolean;
}

export interface ExecutionProviderOptionMap {
  wasm: WebAssemblyExecutionProviderOption;
  cpu: CpuExecutionProviderOption;
  coreml: CoreMLExecutionProviderOption;
  cuda: CudaExecutionProviderOption;
  dml: DmlExecutionProviderOption;
  nnapi: NnapiExecutionProviderOption;
  tensorrt: TensorRtExecutionProviderOption;
  webgl: WebGLExecutionProviderOption;
  webgpu: WebGpuExecutionProviderOption;
  webnn: WebNNExecutionProviderOption;
  qnn: QnnExecutionProviderOption;
  xnnpack: XnnpackExecutionProviderOption;
}
export type ExecutionProviderName = keyof ExecutionProviderOptionMap;
export type ExecutionProviderConfig =
  | ExecutionProviderOptionMap[ExecutionProviderName]
  | ExecutionProviderOption
  | ExecutionProviderName
  | string;

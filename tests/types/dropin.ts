// Compiled, never run, twice: 'ort' is onnxruntime-web, then sardonyx. What TypeScript programs use of its public API.

import type { Tensor as AnyTensor, Env, OnnxValue, InferenceSession as Session, TypedTensor } from 'ort';
import * as ort from 'ort';

export function settings(env: Env): void {
  const flags: Env.WebAssemblyFlags = env.wasm;
  flags.numThreads = 4;
  flags.simd = 'fixed';
  flags.proxy = true;
  flags.trace = false;
  flags.initTimeout = 3000;
  flags.wasmPaths = 'https://example.com/';
  const paths: Env.WasmFilePaths = { wasm: new URL('https://example.com/a.wasm'), mjs: 'a.mjs' };
  flags.wasmPaths = paths;
  flags.wasmBinary = new ArrayBuffer(8);
  env.logLevel = 'warning';
  env.debug = true;
  env.trace = false;
  env.something = 1;
  const { common, web, node }: { common: string; web?: string; node?: string } = env.versions;
  ort.TRACE('cpu', [common, web, node].join());
  ort.TRACE_FUNC_BEGIN();
  ort.TRACE_FUNC_END('x');
}

export const options: Session.SessionOptions = {
  executionProviders: ['wasm', { name: 'cpu' }, { name: 'wasm' } as Session.WebAssemblyExecutionProviderOption],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  freeDimensionOverrides: { batch: 1 },
  graphOptimizationLevel: 'extended',
  enableCpuMemArena: true,
  enableMemPattern: true,
  executionMode: 'sequential',
  optimizedModelFilePath: 'a.onnx',
  enableProfiling: false,
  profileFilePrefix: 'p',
  logId: 'id',
  logSeverityLevel: 0,
  logVerbosityLevel: 0,
  preferredOutputLocation: { y: 'cpu' },
  enableGraphCapture: false,
  externalData: [
    'w.bin',
    { path: 'w.bin', data: new Uint8Array(1) },
    { path: 'v.bin', data: 'v.bin' },
    { path: 'b', data: new Blob() },
  ],
  extra: { session: { set_denormal_as_zero: '1' } },
};
export const runOptions: Session.RunOptions = {
  logSeverityLevel: 4,
  logVerbosityLevel: 0,
  terminate: false,
  tag: 't',
  extra: {},
};

export async function creates(factory: ort.InferenceSessionFactory): Promise<Session[]> {
  const { create } = ort.InferenceSession;
  const bytes = new Uint8Array(8);
  const shared = new SharedArrayBuffer(8);
  return [
    await create('a.onnx'),
    await ort.InferenceSession.create('a.onnx', options),
    await ort.InferenceSession.create(bytes),
    await ort.InferenceSession.create(bytes, options),
    await ort.InferenceSession.create(bytes.buffer, options),
    await ort.InferenceSession.create(shared, 0),
    await ort.InferenceSession.create(bytes.buffer, 0, 8),
    await ort.InferenceSession.create(bytes.buffer, 0, 8, options),
    await factory.create(bytes),
  ];
}

export async function runs(session: ort.InferenceSession, feeds: Session.FeedsType): Promise<ort.Tensor> {
  const results: Session.ReturnType = await session.run(feeds);
  const fetches: Session.FetchesType = { y: null, z: new ort.Tensor('float32', [1]) };
  const some: Session.OnnxValueMapType = await session.run(feeds, fetches);
  await session.run(feeds, ['y'], runOptions);
  await session.run(feeds, runOptions);
  const names: readonly string[] = [...session.inputNames, ...session.outputNames];
  for (const meta of [...session.inputMetadata, ...session.outputMetadata] as readonly Session.ValueMetadata[]) {
    if (meta.isTensor) describe(meta.type, meta.shape, names);
  }
  session.startProfiling();
  session.endProfiling();
  await session.release();
  const value: OnnxValue | undefined = results.y ?? some.z;
  return value as ort.Tensor;
}

function describe(type: ort.Tensor.Type, shape: ReadonlyArray<number | string>, names: readonly string[]): string {
  return [type, ...shape, ...names].join();
}

export function tensors(data: AnyTensor.DataType, type: AnyTensor.Type): AnyTensor[] {
  const text: TypedTensor<'string'> = new ort.Tensor('string', ['a'], [1]);
  const flags: TypedTensor<'bool'> = new ort.Tensor('bool', [true]);
  const bytes: TypedTensor<'uint8'> = new ort.Tensor('uint8', new Uint8ClampedArray(1));
  const longs: TypedTensor<'int64'> = new ort.Tensor('int64', [1n, 2n], [2]);
  const counts: TypedTensor<'uint64'> = new ort.Tensor('uint64', [1, 2], [2]);
  const floats: TypedTensor<'float32'> = new ort.Tensor('float32', [1, 2], [2]);
  const half: TypedTensor<'float16'> = new ort.Tensor('float16', new Uint16Array(1));
  const pinned: TypedTensor<'float32'> = ort.Tensor.fromPinnedBuffer('float32', new Float32Array(1), [1]);
  const numbers: Float32Array = floats.data;
  const big: BigInt64Array = longs.data;
  const words: string[] = text.data;
  const same: TypedTensor<'float32'> = floats.reshape([2, 1]);
  const fetched: Promise<Float32Array> = floats.getData(true);
  const where: ort.Tensor.DataLocation = floats.location;
  if (where === 'gpu-buffer') floats.gpuBuffer;
  const element: ort.Tensor.ElementTypeMap['int64'] = 1n;
  floats.dispose();
  return [
    new ort.Tensor(new Float32Array(1)),
    new ort.Tensor(new Int8Array(1)),
    new ort.Tensor(new Uint8Array(1), [1]),
    new ort.Tensor(new Uint8ClampedArray(1)),
    new ort.Tensor(new Uint16Array(1)),
    new ort.Tensor(new Int16Array(1)),
    new ort.Tensor(new Int32Array(1)),
    new ort.Tensor(new BigInt64Array(1)),
    new ort.Tensor(['a']),
    new ort.Tensor([true]),
    new ort.Tensor(new Float64Array(1)),
    new ort.Tensor(new Uint32Array(1)),
    new ort.Tensor(new BigUint64Array(1)),
    new ort.Tensor(type, data, [1]),
    new ort.Tensor(data),
    ...[text, flags, bytes, longs, counts, floats, half, pinned, same],
  ].filter(() => [numbers, big, words, fetched, element, where].length > 0);
}

export async function images(pixels: ImageData, element: HTMLImageElement, bitmap: ImageBitmap): Promise<string> {
  const norm: NonNullable<ort.OptionsNormalizationParameters['norm']> = { mean: [1, 2, 3], bias: 0 };
  const from: ort.TensorFromImageDataOptions = { tensorFormat: 'BGR', tensorLayout: 'NCHW', dataType: 'float32', norm };
  const tensor = await ort.Tensor.fromImage(pixels, from);
  await ort.Tensor.fromImage(element, { resizedWidth: 8, resizedHeight: 8 });
  await ort.Tensor.fromImage('a.png', { width: 1, height: 1 } as ort.TensorFromUrlOptions);
  await ort.Tensor.fromImage(bitmap, {} as ort.TensorFromImageBitmapOptions);
  const to: ort.TensorToImageDataOptions = { format: 'RGB', tensorLayout: 'NCHW', norm };
  const image: ImageData = tensor.toImageData(to);
  const format: ort.ImageFormat = 'RBG';
  const layout: ort.ImageTensorLayout = 'NHWC';
  return `${image.width}${format}${layout}${tensor.toDataURL(to as ort.TensorToDataUrlOptions)}`;
}

export const backend: ort.Backend | undefined = undefined;
export const register: (name: string, backend: ort.Backend, priority: number) => void = ort.registerBackend;
export const files: [ort.FileType, ort.FileData, ort.FileBlob, ort.FileUrlOrPath, ort.ExternalDataFileType] = [
  'a',
  new Uint8Array(1),
  new Blob(),
  'b',
  'c',
];

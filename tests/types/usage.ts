// Compiled, never run: the package's types as a program uses them. Lines below @ts-expect-error must not compile.
import standard, * as ort from 'sardonyx';
import { env, InferenceSession, OnnxError, Tensor, type TypedTensor } from 'sardonyx';
import embedded from 'sardonyx/embedded';

export async function creates(bytes: Uint8Array, buffer: ArrayBuffer, file: Blob, stream: ReadableStream<Uint8Array>) {
  const options: InferenceSession.SessionOptions = {
    executionProviders: ['wasm', { name: 'cpu' }],
    graphOptimizationLevel: 'all',
    freeDimensionOverrides: { batch: 1 },
    externalData: [{ path: 'w.bin', data: bytes }, 'other.bin'],
    onProgress: ({ phase, loaded, total }) => `${phase} ${loaded} ${total ?? '?'}`,
    signal: new AbortController().signal,
    enableProfiling: true,
    logSeverityLevel: 3,
    extra: { session: { disable_prepacking: '1' } },
  };
  const sessions: InferenceSession[] = [
    await InferenceSession.create('model.onnx', options),
    await InferenceSession.create(new URL('file:///model.onnx')),
    await InferenceSession.create(bytes),
    await InferenceSession.create(buffer, 8, 100, options),
    await InferenceSession.create(buffer, 8),
    await InferenceSession.create(file),
    await InferenceSession.create(await fetch('model.onnx')),
    await ort.InferenceSession.create(stream),
  ];
  // @ts-expect-error: a number is no model
  await InferenceSession.create(1);
  // @ts-expect-error: there is no such level
  await InferenceSession.create(bytes, { graphOptimizationLevel: 'most' });
  return sessions;
}

export async function runs(session: InferenceSession) {
  const x = new Tensor('float32', new Float32Array(4), [2, 2]);
  const feeds: InferenceSession.FeedsType = { x, list: [x], none: null, map: new Map([[1n, 0.5]]) };
  const results = await session.run(feeds);
  const data = results.y?.data as Float32Array;
  await session.run(feeds, ['y'], { profile: true });
  await session.run(feeds, { y: x, z: null }, { signal: new AbortController().signal });
  await session.run(feeds, { tag: 'one' });
  const names: readonly string[] = [...session.inputNames, ...session.outputNames];
  for (const meta of session.inputMetadata) {
    if (meta.isTensor) {
      const type: Tensor.Type = meta.type;
      const shape: readonly (number | string)[] = meta.shape;
      names.concat(type, shape.join());
    } else {
      names.concat(meta.description);
    }
  }
  const { variant, threads, why } = session.info;
  const { heap } = session.memory();
  const spent = session.profile().reduce((sum, entry) => sum + entry.duration, 0);
  await session.release();
  // @ts-expect-error: names of outputs are strings
  await session.run(feeds, [1]);
  return { data, names, variant, threads, why, heap, spent, operators: session.metadata.operators.Conv };
}

export function makes() {
  const float: TypedTensor<'float32'> = new Tensor('float32', [1, 2, 3], [3]);
  const inferred: TypedTensor<'int64'> = new Tensor(BigInt64Array.of(1n));
  const long: TypedTensor<'int64'> = new Tensor('int64', [1, 2]);
  const words: TypedTensor<'string'> = new Tensor(['a', 'b'], [2]);
  const flags: TypedTensor<'bool'> = new Tensor('bool', [true, false]);
  const half = new Tensor('float16', new Uint16Array(2));
  const packed: Tensor = new Tensor('int4', new Uint8Array(1), [2]);
  const numbers: Float32Array = float.reshape([1, 3]).data;
  const any: ort.Tensor = float;
  const dims: readonly number[] = any.dims;
  // @ts-expect-error: there is no such type
  new Tensor('float33', [1]);
  return { inferred, long, words, flags, half, packed, numbers, dims, location: any.location };
}

export function settings(module: WebAssembly.Module) {
  env.wasm.numThreads = 1;
  env.wasm.simd = true;
  env.wasm.proxy = false;
  env.wasm.wasmPaths = '/assets/';
  env.wasm.wasmPaths = { wasm: new URL('https://example.com/sardonyx-simd.wasm') };
  env.wasm.wasmBinary = new Uint8Array(8);
  env.wasm.wasmModule = module;
  env.wasm.initTimeout = 1000;
  env.logLevel = 'error';
  return env.versions.common;
}

export function explains(error: unknown): string {
  if (!(error instanceof OnnxError)) return 'not ours';
  const code: ort.OnnxErrorCode = error.code;
  return `${code} ${error.node ?? ''} ${error.opType ?? ''} ${error.message}`;
}

export async function byDefaultExport(bytes: Uint8Array): Promise<standard.Tensor> {
  const options: standard.InferenceSession.SessionOptions = { executionProviders: ['wasm'] };
  const session: embedded.InferenceSession = await standard.InferenceSession.create(bytes, options);
  const { y } = await session.run({ x: new embedded.Tensor('float32', [1], [1]) });
  // @ts-expect-error: there is no such name
  standard.Session;
  return y as standard.Tensor;
}

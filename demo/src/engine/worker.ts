// The session lives here, so that the page never freezes. Answers Questions with Answers; a cancel aborts what goes on.
import { env, InferenceSession, type OnnxValue, Tensor } from 'sardonyx';
import type {
  Answer,
  LoadRequest,
  LoadResult,
  Output,
  PlainTensor,
  Question,
  RunRequest,
  RunResult,
} from './messages.js';

interface Scope {
  postMessage(message: Answer, transfer?: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<Question>) => void): void;
}
const scope = self as unknown as Scope;
let session: InferenceSession | undefined;
let aborting = new AbortController();

function describe(value: unknown): string {
  if (value === null) return 'none';
  if (value instanceof Tensor) return `${value.type}[${value.dims.join(', ')}]`;
  if (Array.isArray(value)) return `a sequence of ${value.length}: ${value.slice(0, 20).map(describe).join(', ')}`;
  if (value instanceof Map) {
    const entries = [...value]
      .slice(0, 50)
      .map(([key, item]) => `${key}: ${item instanceof Object ? describe(item) : item}`);
    return `a map of ${value.size}: ${entries.join(', ')}`;
  }
  return String(value);
}

/** What can be cloned of a value. */
function plainOf(name: string, value: OnnxValue, transfer: Set<Transferable>): Output {
  if (!(value instanceof Tensor)) return { name, text: describe(value) };
  const { type, dims, data } = value;
  if (ArrayBuffer.isView(data)) transfer.add(data.buffer as ArrayBuffer);
  return { name, type, dims, data: data as PlainTensor['data'] };
}

async function load({ model, externalData, options }: LoadRequest): Promise<LoadResult> {
  await session?.release();
  session = undefined;
  env.wasm.numThreads = options.threads;
  env.wasm.simd = options.simd;
  const start = performance.now();
  session = await InferenceSession.create(model, {
    externalData,
    graphOptimizationLevel: options.optimization,
    signal: aborting.signal,
    onProgress: (progress) => scope.postMessage({ progress }),
  });
  const { inputMetadata, outputMetadata, metadata, info } = session;
  const ms = performance.now() - start;
  return { inputs: inputMetadata, outputs: outputMetadata, metadata, info, memory: session.memory(), ms };
}

async function run({ feeds, repeat, profile }: RunRequest, transfer: Set<Transferable>): Promise<RunResult> {
  if (!session) throw new Error('no model is loaded');
  const tensors = Object.fromEntries(
    Object.entries(feeds).map(([name, { type, data, dims }]) => {
      return [name, new Tensor(type as 'float32', data as Float32Array, dims)];
    }),
  );
  const times: number[] = [];
  const heaps: number[] = [];
  let results: Readonly<Record<string, OnnxValue>> = {};
  for (let i = 0; i < repeat; ++i) {
    const start = performance.now();
    results = await session.run(tensors, { profile, signal: aborting.signal });
    times.push(performance.now() - start);
    heaps.push(session.memory().heap);
    if (repeat > 1) scope.postMessage({ progress: { phase: 'run', loaded: i + 1, total: repeat } });
  }
  const outputs = Object.entries(results).map(([name, value]) => plainOf(name, value, transfer));
  const entries = profile ? session.profile() : undefined;
  const { info } = session;
  return { outputs, times, heaps, profile: entries, memory: session.memory(), macs: session.macs(), info };
}

scope.addEventListener('message', async ({ data }) => {
  if (data.action === 'cancel') return aborting.abort();
  const transfer = new Set<Transferable>();
  aborting = new AbortController();
  try {
    const result = data.action === 'load' ? await load(data.request) : await run(data.request, transfer);
    scope.postMessage({ id: data.id, result }, [...transfer]);
  } catch (error) {
    const { message, code, node, opType } = error as Error & { code?: string; node?: string; opType?: string };
    scope.postMessage({ id: data.id, error: { message, code, node, opType } });
  }
});

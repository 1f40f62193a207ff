// The session lives here, so that the page never freezes. Answers Questions with Answers; a cancel aborts what goes on.
import { env, InferenceSession, type OnnxValue, Tensor } from 'sardonyx';
import { spoken } from '../i18n/said.js';
import type {
  Answer,
  Described,
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

function describe(value: unknown): Described {
  if (value === null) return null;
  if (value instanceof Tensor) return `${value.type}[${value.dims.join(', ')}]`;
  if (Array.isArray(value)) return { sequence: value.length, items: value.slice(0, 20).map(describe) };
  if (!(value instanceof Map)) return String(value);
  const items = [...value].slice(0, 50);
  return { map: value.size, items: items.map(([key, item]) => [String(key), describe(item)] as const) };
}

/** What can be cloned of a value. */
function plainOf(name: string, value: OnnxValue, transfer: Set<Transferable>): Output {
  if (!(value instanceof Tensor)) return { name, told: describe(value) };
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
    scope.postMessage({ id: data.id, ...spoken(error) });
  }
});

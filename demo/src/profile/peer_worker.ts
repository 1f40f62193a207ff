// The same run in onnxruntime-web, loaded only when it is asked for, from this site.
import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { env, InferenceSession, Tensor } from 'onnxruntime-web/wasm';
import type { Output, PlainTensor } from '../engine/messages.js';
import { numbersOf } from '../run/elements.js';

export interface PeerRequest {
  readonly model: Blob;
  readonly externalData: readonly { readonly path: string; readonly data: Blob }[];
  readonly feeds: Readonly<Record<string, PlainTensor>>;
  readonly repeat: number;
  readonly threads: number;
  /** What Sardonyx gave for the same feeds. */
  readonly outputs: readonly Output[];
}
export interface PeerResult {
  readonly loadMs: number;
  readonly times: readonly number[];
  /** The largest difference of two elements, over 1 or the larger of them; undefined where nothing could be compared. */
  readonly difference: number | undefined;
}

function differenceOf(ours: Output, theirs: Tensor | undefined): number | undefined {
  if (ours.told !== undefined || !theirs) return undefined;
  const [a, b] = [numbersOf(ours), numbersOf({ ...ours, data: theirs.data as PlainTensor['data'] })];
  if (!a || !b || a.length !== b.length) return undefined;
  let most = 0;
  for (let i = 0; i < a.length; ++i) {
    const [x, y] = [Number(a[i]), Number(b[i])];
    if (Object.is(x, y)) continue;
    const far = Math.abs(x - y) / Math.max(1, Math.abs(x), Math.abs(y));
    // NaN, or infinite, in one of them only.
    most = Math.max(most, Number.isNaN(far) ? Number.POSITIVE_INFINITY : far);
  }
  return most;
}

async function run({ model, externalData, feeds, repeat, threads, outputs }: PeerRequest): Promise<PeerResult> {
  env.wasm.wasmPaths = { wasm };
  env.wasm.numThreads = threads;
  const begin = performance.now();
  const files = externalData.map(async ({ path, data }) => ({ path, data: new Uint8Array(await data.arrayBuffer()) }));
  const session = await InferenceSession.create(new Uint8Array(await model.arrayBuffer()), {
    executionProviders: ['wasm'],
    logSeverityLevel: 3,
    externalData: await Promise.all(files),
  });
  const loadMs = performance.now() - begin;
  const tensors = Object.fromEntries(
    Object.entries(feeds).map(([name, { type, data, dims }]) => {
      return [name, new Tensor(type as 'float32', data as Float32Array, dims)];
    }),
  );
  const times: number[] = [];
  let results: InferenceSession.OnnxValueMapType = {};
  for (let i = 0; i < repeat; ++i) {
    const start = performance.now();
    results = await session.run(tensors);
    times.push(performance.now() - start);
  }
  const far = outputs.map((output) => differenceOf(output, results[output.name] as Tensor | undefined));
  const known = far.filter((x) => x !== undefined);
  return { loadMs, times, difference: known.length > 0 ? Math.max(...known) : undefined };
}

self.addEventListener('message', async ({ data }: MessageEvent<PeerRequest>) => {
  try {
    self.postMessage({ result: await run(data) });
  } catch (error) {
    self.postMessage({ error: (error as Error).message });
  }
});

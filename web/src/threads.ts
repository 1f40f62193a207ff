// The threads of an instance: workers that wait for work, made before the model is loaded.
import { messageOf } from './errors.js';
import type { Instance } from './native.js';
import { startWorker, type WorkerLike, type WorkerScript } from './workers.js';

/** The glue's list of workers, as far as it is used here. */
export interface PThread {
  unusedWorkers: WorkerLike[];
  loadWasmModuleToWorker(worker: WorkerLike): Promise<unknown>;
  terminateAllThreads(): void;
}

const kTimeout = 10_000; // ms
// The glue knows by the worker's name that it is to be a thread. All is literal, for bundlers.
const kThreads = {
  simd: {
    inBrowsers: () =>
      new Worker(new URL('./wasm/sardonyx-simd-threads.mjs', import.meta.url), { type: 'module', name: 'em-pthread' }),
    inNode: { script: 'node_thread.js', glue: 'wasm/sardonyx-simd-threads.mjs' },
  },
  relaxed: {
    inBrowsers: () =>
      new Worker(new URL('./wasm/sardonyx-relaxed-threads.mjs', import.meta.url), {
        type: 'module',
        name: 'em-pthread',
      }),
    inNode: { script: 'node_thread.js', glue: 'wasm/sardonyx-relaxed-threads.mjs' },
  },
} satisfies Record<string, WorkerScript>;
/** The build whose threads they are. */
export type ThreadKind = keyof typeof kThreads;

function started(pool: PThread, kind: ThreadKind): Promise<WorkerLike> {
  const worker = startWorker(kThreads[kind]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ready = new Promise<WorkerLike>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`a thread did not start within ${kTimeout / 1000} s`)), kTimeout);
    pool.loadWasmModuleToWorker(worker).then(() => resolve(worker), reject);
    // After the glue, which would throw it once more.
    worker.onerror = ({ message }) => reject(new Error(message || 'the script of a thread cannot be loaded'));
  });
  ready.catch(() => worker.terminate());
  return ready.finally(() => clearTimeout(timer));
}

/**
 * Starts `count` threads beside the caller. Never fails: `problem` says why there are fewer. They end with endThreads() of instance.ts.
 */
export async function startThreads(instance: Instance, kind: ThreadKind, count: number) {
  const pool = instance.PThread;
  if (!pool || count <= 0) return { started: 0, problem: undefined };
  const results = await Promise.allSettled(Array.from({ length: count }, async () => started(pool, kind)));
  let problem: string | undefined;
  for (const result of results) {
    if (result.status === 'fulfilled') pool.unusedWorkers.push(result.value);
    else problem = messageOf(result.reason);
  }
  return { started: pool.unusedWorkers.length, problem };
}

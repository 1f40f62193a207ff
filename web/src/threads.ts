// The threads of an instance: workers that wait for work, made before the model is loaded.
import { messageOf } from './errors.js';
import type { Instance } from './native.js';
import { startWorker, type WorkerKind, type WorkerLike } from './workers.js';

/** The glue's list of workers, as far as it is used here. */
export interface PThread {
  unusedWorkers: WorkerLike[];
  loadWasmModuleToWorker(worker: WorkerLike): Promise<unknown>;
  terminateAllThreads(): void;
}

const kTimeout = 10_000; // ms

function started(pool: PThread, kind: WorkerKind): Promise<WorkerLike> {
  const worker = startWorker(kind);
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
export async function startThreads(instance: Instance, kind: WorkerKind, count: number) {
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

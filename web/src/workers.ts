// Workers, the same in browsers and in Node.js: made, heard, ended.
import { hasFiles, nodeModule } from './platform.js';

/** What Worker in browsers and worker_threads.Worker in Node.js have in common here. */
export interface WorkerLike {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  /** Ends it at once. */
  terminate(): unknown;
  onmessage: ((event: { data: unknown }) => void) | null;
  /** A script that cannot be loaded, or an error that nobody caught; browsers may give no message. */
  onerror: ((event: { message?: string }) => void) | null;
  /** Node.js: does it keep the process alive? New ones do not. */
  setAlive?(alive: boolean): void;
}

/** Literal pairs of `new Worker` and `new URL`: bundlers find the scripts by them. May throw: a policy forbids it. */
const kBrowserWorkers = {
  engine: () =>
    new Worker(new URL('./engine_worker.js', import.meta.url), { type: 'module', name: 'sardonyx' }) as WorkerLike,
  // The glue knows by the worker's name that it is to be a thread.
  simd: () =>
    new Worker(new URL('./wasm/sardonyx-simd-threads.mjs', import.meta.url), {
      type: 'module',
      name: 'em-pthread',
    }) as WorkerLike,
  relaxed: () =>
    new Worker(new URL('./wasm/sardonyx-relaxed-threads.mjs', import.meta.url), {
      type: 'module',
      name: 'em-pthread',
    }) as WorkerLike,
};
const kNodeWorkers = {
  engine: { script: 'engine_worker.js' },
  simd: { script: 'node_thread.js', glue: 'wasm/sardonyx-simd-threads.mjs' },
  relaxed: { script: 'node_thread.js', glue: 'wasm/sardonyx-relaxed-threads.mjs' },
};
/** engine: runs a whole session; the others: a thread of a session with that build. */
export type WorkerKind = keyof typeof kBrowserWorkers;

class NodeWorker implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  private readonly worker;

  constructor(kind: WorkerKind) {
    const threads = nodeModule('node:worker_threads');
    if (!threads) throw new Error('there are no worker_threads');
    const { script, ...data } = kNodeWorkers[kind] as { script: string; glue?: string };
    // Not literal: what bundlers are to find stands above.
    const base = import.meta.url;
    const workerData = data.glue === undefined ? {} : { glue: new URL(data.glue, base).href };
    // Not the process's own flags: some (--input-type) are refused by workers that are files.
    this.worker = new threads.Worker(new URL(script, base), { workerData, execArgv: [] });
    this.worker.unref();
    this.worker.on('message', (data) => this.onmessage?.({ data }));
    this.worker.on('error', (error) => this.onerror?.({ message: String((error as Error)?.message ?? error) }));
    this.worker.on('exit', () => this.onerror?.({ message: 'the worker has ended' }));
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    this.worker.postMessage(message, transfer);
  }

  terminate(): unknown {
    this.onmessage = null;
    this.onerror = null;
    return this.worker.terminate();
  }

  setAlive(alive: boolean): void {
    if (alive) this.worker.ref();
    else this.worker.unref();
  }
}

/** @throws whatever the platform throws where workers are forbidden or missing */
export function startWorker(kind: WorkerKind): WorkerLike {
  return hasFiles() ? new NodeWorker(kind) : kBrowserWorkers[kind]();
}

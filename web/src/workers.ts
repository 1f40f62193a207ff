// Workers, the same in browsers and in Node.js: made, heard, ended.
import { hasFiles, nodeModule } from './platform.js';

/** What Worker in browsers and worker_threads.Worker in Node.js have in common here. */
export interface WorkerLike {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  /** Ends it at once. */
  terminate(): unknown;
  onmessage: ((event: { data: unknown }) => void) | null;
  /** A script that cannot be loaded, or an error that nobody caught; browsers may give no message. */
  onerror: ((event: { message?: string }) => void) | null;
  /** Node.js: does it keep the process alive? New ones do not. */
  setAlive?(alive: boolean): void;
}

/**
 * How a worker is started. `inBrowsers` is a literal pair of `new Worker` and `new URL`, by which bundlers find the
 * script; it stands where it is used, since a script that names itself makes some of them wait for ever. May throw: a
 * policy forbids it.
 */
export interface WorkerScript {
  inBrowsers(): Worker;
  /** Files beside this one. */
  readonly inNode: { readonly script: string; readonly glue?: string };
}

class NodeWorker implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  private readonly worker;

  constructor({ script, glue }: WorkerScript['inNode']) {
    const threads = nodeModule('node:worker_threads');
    if (!threads) throw new Error('there are no worker_threads');
    // Not literal: this is not for bundlers to find.
    const base = import.meta.url;
    const workerData = glue === undefined ? {} : { glue: new URL(glue, base).href };
    // Not the process's own flags: some (--input-type) are refused by workers that are files.
    this.worker = new threads.Worker(new URL(script, base), { workerData, execArgv: [] });
    this.worker.on('message', (data) => this.onmessage?.({ data }));
    this.worker.on('error', (error) => this.onerror?.({ message: String((error as Error)?.message ?? error) }));
    this.worker.on('exit', () => this.onerror?.({ message: 'the worker has ended' }));
    // After the listeners: the first for messages would hold the process again.
    this.worker.unref();
  }

  postMessage(message: unknown, transfer: ArrayBuffer[] = []): void {
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
export function startWorker({ inBrowsers, inNode }: WorkerScript): WorkerLike {
  return hasFiles() ? new NodeWorker(inNode) : (inBrowsers() as WorkerLike);
}

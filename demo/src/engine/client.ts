// The page's side of a worker with a session: calls as promises; a worker that dies is replaced.
import { errorOf, t } from '../i18n/index.js';
import { EngineError } from '../i18n/said.js';
import type { Answer, LoadRequest, LoadResult, Progress, Question, RunRequest, RunResult } from './messages.js';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export class Engine {
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  #onProgress: (progress: Progress) => void = () => {};

  /** @throws EngineError */
  load(request: LoadRequest, onProgress: (progress: Progress) => void): Promise<LoadResult> {
    this.#onProgress = onProgress;
    return this.#call('load', request) as Promise<LoadResult>;
  }

  /** @throws EngineError */
  run(request: RunRequest, onProgress: (progress: Progress) => void): Promise<RunResult> {
    this.#onProgress = onProgress;
    return this.#call('run', request) as Promise<RunResult>;
  }

  /** Ends what goes on before its next node; the call fails with the code 'aborted', the model stays. */
  cancel(): void {
    this.#worker?.postMessage({ action: 'cancel' } satisfies Question);
  }

  /** Ends the worker; the model is gone. */
  stop(reason: Error = new EngineError({ message: 'stopped', code: 'aborted' })): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  /** Has its worker ended, and the model with it? */
  get lost(): boolean {
    return this.#worker === undefined;
  }

  #call(action: 'load' | 'run', request: LoadRequest | RunRequest): Promise<unknown> {
    const worker = this.#ready();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, action, request } as Question);
    });
  }

  #ready(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if ('progress' in data) return this.#onProgress(data.progress);
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ('error' in data) waiting?.reject(errorOf(data));
      else waiting?.resolve(data.result);
    };
    worker.onerror = (event) => this.stop(new Error(t('workerEnded', { why: event.message || t('notLoadable') })));
    this.#worker = worker;
    return worker;
  }
}

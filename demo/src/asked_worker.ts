// A worker that answers questions, several at a time: {id, ...} goes in, {id, result} or {id, error} comes back.
import { errorOf, t } from './i18n/index.js';
import type { Spoken } from './i18n/said.js';

/** A question as its asker writes it. */
export type Ask<T> = T extends { readonly id: number } ? Omit<T, 'id'> : never;

type Answer<Result> = { readonly id: number } & ({ readonly result: Result } | Spoken);

export class AskedWorker<Question extends { readonly id: number }, Result> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<Result>>();
  #next = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<Answer<Result>>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ('error' in data) waiting?.reject(errorOf(data));
      else waiting?.resolve(data.result);
    };
    worker.onerror = (event) => {
      const error = new Error(t('workerEnded', { why: event.message || t('notLoadable') }));
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  /** @throws Error that the worker answers, or in which it ends */
  ask(question: Ask<Question>): Promise<Result> {
    const id = this.#next++;
    const waiting = Promise.withResolvers<Result>();
    this.#waiting.set(id, waiting);
    this.#worker.postMessage({ ...question, id });
    return waiting.promise;
  }

  terminate(): void {
    this.#worker.terminate();
  }
}

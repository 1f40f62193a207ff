// The page's side of the worker: calls as promises; a worker that dies is replaced.

export class Engine {
  #worker;
  #waiting = new Map();
  #next = 0;
  #onProgress = () => {};

  /** Loads a model: {inputs, outputs, metadata, info, memory, ms}. */
  load(request, onProgress) {
    this.#onProgress = onProgress;
    return this.#call('load', request);
  }

  /** Runs it: {outputs, times, profile, memory}. */
  run(request) {
    return this.#call('run', request);
  }

  /** Ends what is running; the model must be loaded again. */
  stop(reason = 'stopped') {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
  }

  #call(action, request) {
    const worker = this.#ready();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, action, request });
    });
  }

  #ready() {
    if (this.#worker) return this.#worker;
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data: { id, result, error, progress } }) => {
      if (progress) return this.#onProgress(progress);
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      return error ? reject(Object.assign(new Error(error.message), error)) : resolve(result);
    };
    this.#worker.onerror = (event) => this.stop(`the worker ended: ${event.message || 'it could not be loaded'}`);
    return this.#worker;
  }
}

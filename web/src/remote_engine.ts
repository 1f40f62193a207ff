// An engine in a worker of its own: the session's side of messages.ts.
import type { LoadOptions, SessionEngine } from './engine.js';
import { checkAborted, OnnxError } from './errors.js';
import type { External } from './external.js';
import { detachable, type Reply, type Request, type RunReply, type StartReply } from './messages.js';
import type { Loaded, MemoryUse, NativeTensor, NativeValue, RunRequest, RunResult } from './native.js';
import type { VariantName } from './variants.js';
import { startWorker, type WorkerLike, type WorkerScript } from './workers.js';

const kEngine: WorkerScript = {
  inBrowsers: () => new Worker(new URL('./engine_worker.js', import.meta.url), { type: 'module', name: 'sardonyx' }),
  inNode: { script: 'engine_worker.js' },
};
const kStartTimeout = 15_000; // ms: longer than that of its threads
const kMostPassing = 32 << 20; // bytes
const kAlignment = 64;

const forgotten = new FinalizationRegistry<WorkerLike>((worker) => worker.terminate());

/** What a run without a result says. */
function lost(message: string | undefined): OnnxError {
  const what = message || 'its script cannot be loaded';
  return new OnnxError('instance_lost', `the session's worker has failed: ${what}`);
}

/** Copies what the worker wrote into the tensors that the caller gave. */
function fill(targets: RunRequest['targets'], filled: RunRequest['targets']): void {
  targets.forEach((target, i) => {
    const from = (filled[i] as NativeTensor | null | undefined)?.data;
    if (!target || !from || 'held' in target) return;
    if (target.data instanceof Uint8Array) target.data.set(from as Uint8Array);
    else target.data.splice(0, target.data.length, ...(from as string[]));
  });
}

/**
 * Feeds on their way to the worker, in memory that both see: there a run costs a copy, where a buffer of its own would
 * cost its pages too. A run is over before the next one writes.
 */
class Passage {
  private bytes: Uint8Array = new Uint8Array();

  /** The feeds with their data here, or as they are: they are large, or nothing is shared. */
  take(feeds: readonly NativeValue[]): readonly NativeValue[] {
    const lengths = feeds.map((feed) => (isBytes(feed) ? Math.ceil(feed.data.length / kAlignment) * kAlignment : 0));
    const size = lengths.reduce((a, b) => a + b, 0);
    if (size > kMostPassing || !sharesMemory()) return feeds;
    if (size > this.bytes.length) this.bytes = new Uint8Array(new SharedArrayBuffer(size));
    let at = 0;
    return feeds.map((feed, i) => {
      if (!isBytes(feed)) return feed;
      const data = this.bytes.subarray(at, at + feed.data.length);
      data.set(feed.data);
      at += lengths[i] as number;
      return { ...feed, data };
    });
  }
}

function isBytes(value: NativeValue): value is NativeTensor & { data: Uint8Array } {
  return value !== null && 'data' in value && value.data instanceof Uint8Array;
}

function sharesMemory(): boolean {
  const { crossOriginIsolated } = globalThis as { crossOriginIsolated?: boolean };
  return crossOriginIsolated !== false && typeof SharedArrayBuffer !== 'undefined';
}

export class RemoteEngine implements SessionEngine {
  private last: MemoryUse = { weights: 0, packed: 0, arena: 0, scratch: 0, heap: 0 };
  private lastMacs = -1;
  private readonly passage = new Passage();
  readonly holds = false;
  private failure: OnnxError | undefined;
  private fail: (error: OnnxError) => void = () => {};

  private constructor(private readonly worker: WorkerLike) {
    worker.onerror = ({ message }) => {
      this.failure ??= lost(message);
      this.fail(this.failure);
    };
    forgotten.register(this, worker, this);
  }

  /** @throws OnnxError (instance_lost) where no worker starts in time, or what the platform throws */
  static async start(module: WebAssembly.Module, variant: VariantName, threads: number) {
    const engine = new RemoteEngine(startWorker(kEngine));
    const timer = setTimeout(() => engine.worker.onerror?.({ message: 'it does not start' }), kStartTimeout);
    try {
      const reply = await engine.ask<StartReply>({ op: 'start', module, variant, threads });
      return { engine, ...reply };
    } catch (error) {
      engine.release();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private async ask<T>(request: Request, transfer: ArrayBuffer[] = []): Promise<T> {
    if (this.failure) throw this.failure;
    this.worker.setAlive?.(true);
    try {
      const reply = await new Promise<Reply>((resolve, reject) => {
        this.fail = reject;
        this.worker.onmessage = ({ data }) => resolve(data as Reply);
        this.worker.postMessage(request, transfer);
      });
      if ('error' in reply) {
        const { code, message, node, opType } = reply.error;
        throw new OnnxError(code ?? 'runtime_error', message, { node, opType });
      }
      if (reply.memory) this.last = reply.memory;
      this.lastMacs = reply.macs ?? this.lastMacs;
      return reply.value as T;
    } finally {
      this.worker.setAlive?.(false);
    }
  }

  async append(bytes: Uint8Array): Promise<void> {
    const copy = bytes.slice();
    await this.ask({ op: 'append', bytes: copy }, [copy.buffer]);
  }

  load(options: LoadOptions, external: External, modelPath: string | undefined): Promise<Loaded> {
    return this.ask<Loaded>({ op: 'load', options, files: external.files, modelPath });
  }

  useCodecs(module: WebAssembly.Module): Promise<void> {
    return this.ask<void>({ op: 'codecs', module });
  }

  async run(request: RunRequest, signal?: AbortSignal): Promise<RunResult> {
    checkAborted(signal);
    const transfer = new Set<ArrayBuffer>();
    const sent = {
      ...request,
      feeds: this.passable(request, transfer),
      targets: request.targets.map((target) => detachable(target, transfer) as NativeTensor | null),
    };
    const stop = () => this.worker.postMessage({ op: 'abort' } satisfies Request);
    signal?.addEventListener?.('abort', stop);
    try {
      const question: Request = { op: 'run', request: sent, abortable: signal !== undefined };
      const { result, targets } = await this.ask<RunReply>(question, [...transfer]);
      fill(request.targets, targets);
      return result;
    } catch (error) {
      checkAborted(signal);
      throw error;
    } finally {
      signal?.removeEventListener?.('abort', stop);
    }
  }

  private passable({ feeds, transfer: give }: RunRequest, transfer: Set<ArrayBuffer>): NativeValue[] {
    const passed = give ? feeds : this.passage.take(feeds);
    // What has passed is another object.
    return passed.map((feed, i) => (feed === feeds[i] ? detachable(feed, transfer, give) : feed));
  }

  macs(): number {
    return this.lastMacs;
  }

  memory(): MemoryUse {
    return this.last;
  }

  release(): void {
    forgotten.unregister(this);
    this.failure ??= lost('it is released');
    this.worker.terminate();
  }
}

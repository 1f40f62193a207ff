// An engine as sessions use it, wherever it runs; and the one that runs in this thread.
import { invalidArgument, OnnxError } from './errors.js';
import type { External } from './external.js';
import { endThreads } from './instance.js';
import { late } from './late.js';
import { Mailbox } from './mailbox.js';
import { ModelBytes } from './model_bytes.js';
import {
  call,
  type Engine,
  type Instance,
  type Loaded,
  type LoadRequest,
  type MemoryUse,
  type NativeTensor,
  type RunRequest,
  type RunResult,
} from './native.js';
import { begin, execute } from './slices.js';

export interface LoadOptions {
  readonly optimizationLevel: number;
  readonly winograd: boolean;
  readonly freeDimensions: [string, number][];
  /** Functions of this thread: not for engines in workers. */
  readonly customOperators?: NonNullable<LoadRequest['customOperators']>;
}

/** One call at a time; each may throw, or reject with, OnnxError. */
export interface SessionEngine {
  /** The next bytes of the model; they must not change until load() is done. */
  append(bytes: Uint8Array): void | Promise<void>;
  /** `external` answers until this is done; `modelPath`: where the model lies, if it is a file. */
  load(options: LoadOptions, external: External, modelPath: string | undefined): Loaded | Promise<Loaded>;
  /** The compiled codecs, which models with an ImageDecoder need before they run. */
  useCodecs(module: WebAssembly.Module): Promise<void>;
  run(request: RunRequest, signal: AbortSignal | undefined): Promise<RunResult>;
  /** Can it hold results? */
  readonly holds: boolean;
  /** As it is now, or, of an engine in a worker, as it was after the last call. So is macs(). */
  memory(): MemoryUse;
  /** Multiply-adds of the last run; -1: they are not known yet. */
  macs(): number;
  /** `lost`: its heap cannot be trusted any more. Ends its threads and workers. */
  release(lost: boolean): void | Promise<void>;
}

// Sessions that are dropped without release() leave workers behind; their threads end with this.
const forgotten = new FinalizationRegistry<Instance>(endThreads);

export class LocalEngine implements SessionEngine {
  private readonly engine: Engine;
  private readonly model = new ModelBytes();
  private mailbox: Mailbox | undefined;
  private released = false;
  readonly holds = true;

  constructor(
    private readonly instance: Instance,
    private readonly threads: number,
  ) {
    this.engine = instance._sardonyx_create();
    if (threads > 1) forgotten.register(this, instance, this);
  }

  append(bytes: Uint8Array): void {
    this.model.append(bytes);
  }

  load(options: LoadOptions, external: External, modelPath: string | undefined): Loaded {
    let missing = false;
    const externalData = (location: string, offset: number, to: Uint8Array) => {
      const problem = external.read(location, offset, to, modelPath);
      missing ||= problem !== undefined;
      return problem;
    };
    const { instance, engine } = this;
    try {
      const request = { ...options, model: this.model, threads: this.threads, externalData };
      const loaded = call(() => instance.load(engine, request));
      this.mailbox = new Mailbox(instance, engine, loaded);
      return loaded;
    } catch (error) {
      if (!(error instanceof OnnxError)) throw error;
      if (missing) throw new OnnxError('load_failed', error.message);
      // Nodes are asked with the shapes that the model declares: nobody has fed them.
      const isNode = error.code === 'invalid_input' && error.node !== undefined;
      throw isNode ? new OnnxError('invalid_model', error.message, error) : error;
    } finally {
      this.model.clear();
    }
  }

  /** Types and faults of the appended model's values (runtime/type_report.h); no session is made. */
  types(): Uint8Array {
    try {
      return call(() => this.instance.types({ model: this.model }));
    } finally {
      this.model.clear();
    }
  }

  async useCodecs(module: WebAssembly.Module): Promise<void> {
    const { Codecs } = await late('codecs', () => import('./codecs.js'));
    this.instance.codecs = await Codecs.start(module);
  }

  run(request: RunRequest, signal?: AbortSignal): Promise<RunResult> {
    return execute(this.instance, this.engine, this.mailbox as Mailbox, request, signal);
  }

  macs(): number {
    return call(() => this.instance._sardonyx_macs(this.engine));
  }

  /** Of a run that is planned, but not made. */
  macsOf(request: RunRequest): number {
    const mailbox = this.mailbox as Mailbox;
    begin(this.instance, this.engine, mailbox, request);
    mailbox.cancel();
    return this.macs();
  }

  memory(): MemoryUse {
    return call(() => this.instance.memory(this.engine));
  }

  /** The elements of a tensor that is held. */
  read(held: number): NativeTensor {
    if (this.released) throw invalidArgument('the session that holds the tensor is released');
    return call(() => this.instance.readHeld(this.engine, held));
  }

  drop(held: number): void {
    if (!this.released) call(() => this.instance._sardonyx_drop(this.engine, held));
  }

  release(lost: boolean): void {
    forgotten.unregister(this);
    this.released = true;
    try {
      // A heap that a trap has broken is left to the garbage collector.
      if (!lost) call(() => this.instance._sardonyx_delete(this.engine));
    } finally {
      endThreads(this.instance);
    }
  }
}

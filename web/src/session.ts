// Inference sessions: a model in an engine, and a heap, of its own.
/// <reference lib="esnext.disposable" preserve="true" />
import type { SessionInfo } from './create_engine.js';
import { kDispose } from './dispose.js';
import type { SessionEngine } from './engine.js';
import { asOnnxError, checkAborted, invalidArgument, OnnxError } from './errors.js';
import { createSession, metadataOf } from './loading.js';
import type { Loaded, MemoryUse, ModelMetadata, NativePort, ProfileEntry, RunRequest } from './native.js';
import * as optionTypes from './options.js';
import type * as providers from './providers.js';
import { requestOf } from './running.js';
import { createArguments, type Fetches, fetchesOf } from './session_arguments.js';
import type { ModelSource } from './source.js';
import type { Tensor } from './tensor.js';
import { disposeAll, fromNative, type OnnxValue, withNumbers } from './values.js';

export declare namespace InferenceSession {
  type SessionOptions = optionTypes.SessionOptions;
  type RunOptions = optionTypes.RunOptions;
  type OnnxValueMapType = { readonly [name: string]: OnnxValue };
  type NullableOnnxValueMapType = { readonly [name: string]: OnnxValue | null };
  /** Values by the names of the inputs; or in the order of inputNames; or the value of the only one, a tensor. */
  type FeedsType = OnnxValueMapType | readonly OnnxValue[] | Tensor;
  /** Names of the outputs that are wanted; or an object of them, with tensors to write into, or null. */
  type FetchesType = readonly string[] | NullableOnnxValueMapType;
  /** Nearly all outputs are tensors; a program that runs a model with others says so by a cast to OnnxValue. */
  type ReturnType = { readonly [name: string]: Tensor };
  interface ValueMetadataBase {
    readonly name: string;
  }
  interface NonTensorValueMetadata extends ValueMetadataBase {
    readonly isTensor: false;
    /** "sequence of float32 tensor"... */
    readonly description: string;
  }
  interface TensorValueMetadata extends ValueMetadataBase {
    readonly isTensor: true;
    readonly type: Tensor.Type;
    /** A number, the name of a symbolic dimension, or '' where the model says nothing. */
    readonly shape: readonly (number | string)[];
  }
  type ValueMetadata = NonTensorValueMetadata | TensorValueMetadata;
  type ExecutionProviderOptionMap = providers.ExecutionProviderOptionMap;
  type ExecutionProviderName = providers.ExecutionProviderName;
  type ExecutionProviderConfig = providers.ExecutionProviderConfig;
  type ExecutionProviderOption = providers.ExecutionProviderOption;
  type CpuExecutionProviderOption = providers.CpuExecutionProviderOption;
  type CudaExecutionProviderOption = providers.CudaExecutionProviderOption;
  type DmlExecutionProviderOption = providers.DmlExecutionProviderOption;
  type TensorRtExecutionProviderOption = providers.TensorRtExecutionProviderOption;
  type WebAssemblyExecutionProviderOption = providers.WebAssemblyExecutionProviderOption;
  type WebGLExecutionProviderOption = providers.WebGLExecutionProviderOption;
  type XnnpackExecutionProviderOption = providers.XnnpackExecutionProviderOption;
  type WebGpuExecutionProviderOption = providers.WebGpuExecutionProviderOption;
  type WebNNExecutionProviderName = providers.WebNNExecutionProviderName;
  type WebNNContextOptions = providers.WebNNContextOptions;
  type WebNNOptionsWithoutMLContext = providers.WebNNOptionsWithoutMLContext;
  type WebNNOptionsWithMLContext = providers.WebNNOptionsWithMLContext;
  type WebNNOptionsWebGpu = providers.WebNNOptionsWebGpu;
  type WebNNExecutionProviderOption = providers.WebNNExecutionProviderOption;
  type QnnExecutionProviderOption = providers.QnnExecutionProviderOption;
  type CoreMLExecutionProviderOption = providers.CoreMLExecutionProviderOption;
  type NnapiExecutionProviderOption = providers.NnapiExecutionProviderOption;
}

/** What create() has loaded: no one else can make a session. */
const kLoaded = new WeakSet<Loaded>();

export class InferenceSession {
  /** The build of WebAssembly that runs the session, and why it was chosen. */
  readonly info: SessionInfo;
  /** What the file of the model says of itself. */
  readonly metadata: ModelMetadata;
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata: readonly InferenceSession.ValueMetadata[];
  readonly outputMetadata: readonly InferenceSession.ValueMetadata[];

  // No #private fields: frameworks wrap objects in proxies, which those refuse.
  private engine: SessionEngine | undefined;
  private profiling: boolean;
  private lastProfile: readonly ProfileEntry[] = [];
  private turn: Promise<void> | undefined;
  private lost: OnnxError | undefined;
  private readonly inputs: readonly NativePort[];
  private readonly int64: 'bigint' | 'number';
  private readonly pinned: (output: string) => boolean;

  private constructor(engine: SessionEngine, loaded: Loaded, info: SessionInfo, settings: optionTypes.Settings) {
    if (!kLoaded.has(loaded)) throw invalidArgument('sessions are made by InferenceSession.create()');
    this.engine = engine;
    this.info = info;
    this.profiling = settings.profiling;
    this.int64 = settings.int64;
    this.pinned = settings.pinned;
    this.inputs = loaded.inputs;
    this.metadata = loaded.metadata;
    // Inputs with a default of their own can be fed, but are not listed, as in other runtimes.
    const listed = loaded.inputs.filter((port) => !port.optional || port.kind === 'optional');
    this.inputNames = listed.map((port) => port.name);
    this.inputMetadata = listed.map(metadataOf);
    this.outputNames = loaded.outputs.map((port) => port.name);
    this.outputMetadata = loaded.outputs.map(metadataOf);
  }

  /**
   * Loads a model. A string is a URL, or in Node.js a path.
   * @throws OnnxError
   */
  static create(model: ModelSource, options?: InferenceSession.SessionOptions): Promise<InferenceSession>;
  static create(
    buffer: ArrayBufferLike,
    byteOffset: number,
    byteLength?: number,
    options?: InferenceSession.SessionOptions,
  ): Promise<InferenceSession>;
  static async create(model: unknown, ...rest: unknown[]): Promise<InferenceSession> {
    let signal: AbortSignal | undefined;
    try {
      const { source, options } = createArguments(model, rest);
      const settings = optionTypes.settingsOf(options);
      signal = settings.signal;
      return await createSession(source, settings, (engine, loaded, info) => {
        kLoaded.add(loaded);
        return new InferenceSession(engine, loaded, info, settings);
      });
    } catch (error) {
      // Whatever an abort broke, the abort is the reason.
      checkAborted(signal);
      throw asOnnxError(error, 'InferenceSession.create()');
    }
  }

  /**
   * Runs the model. Calls that overlap are run one after the other.
   * @throws OnnxError: invalid_input where feeds or fetches do not fit; the session stays usable
   */
  run(feeds: InferenceSession.FeedsType, options?: InferenceSession.RunOptions): Promise<InferenceSession.ReturnType>;
  run(
    feeds: InferenceSession.FeedsType,
    fetches: InferenceSession.FetchesType,
    options?: InferenceSession.RunOptions,
  ): Promise<InferenceSession.ReturnType>;
  async run(feeds: unknown, first?: unknown, second?: unknown): Promise<InferenceSession.ReturnType> {
    try {
      const fetches = fetchesOf(first, second, this.outputNames);
      const signal = optionTypes.signalOf(fetches.options);
      checkAborted(signal);
      // Now, not when its turn comes: tensors may be disposed meanwhile.
      const { inputs, pinned, profiling } = this;
      const request = requestOf(this.usable(), feeds, fetches, this, inputs, pinned, profiling);
      return await this.inTurn((engine) => this.runNow(engine, feeds, fetches, request, signal));
    } catch (error) {
      throw asOnnxError(error, 'run()');
    }
  }

  /** What the last profiled run recorded: one entry per node, in their order. */
  profile(): readonly ProfileEntry[] {
    return this.lastProfile;
  }

  startProfiling(): void {
    this.profiling = true;
  }

  endProfiling(): void {
    this.profiling = false;
  }

  /** The memory that the session holds now. */
  memory(): MemoryUse {
    return this.usable().memory();
  }

  /**
   * Multiplications and additions in pairs that the last run took: those of matrix products, convolutions, attention and
   * recurrent layers, each time that they ran. Before the first run, of one as the model declares its inputs, as far as it
   * is known then (no loops, no branches), or undefined where the inputs leave shapes open.
   */
  macs(): number | undefined {
    const count = this.usable().macs();
    return count < 0 ? undefined : count;
  }

  /** Gives all memory back, once running calls are done. A second call does nothing. */
  async release(): Promise<void> {
    try {
      await this.inTurn(async (engine) => {
        this.engine = undefined;
        await engine.release(false);
      });
    } catch (error) {
      const { engine } = this;
      if (engine && !this.lost) throw error;
      this.engine = undefined;
      await engine?.release(true);
    }
  }

  [kDispose](): void {
    this.release().catch(() => {});
  }

  private usable(): SessionEngine {
    if (this.lost) throw this.lost;
    if (!this.engine) throw invalidArgument('the session is released');
    return this.engine;
  }

  /** Jobs one after the other, in the order of the calls; at once where none is running. */
  private async inTurn<T>(job: (engine: SessionEngine) => Promise<T>): Promise<T> {
    const before = this.turn;
    let done = () => {};
    const mine = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.turn = mine;
    if (before) await before;
    try {
      return await job(this.usable());
    } catch (error) {
      if (error instanceof OnnxError && error.code === 'instance_lost') this.lost = error;
      throw error;
    } finally {
      if (this.turn === mine) this.turn = undefined;
      done();
    }
  }

  private async runNow(
    engine: SessionEngine,
    feeds: unknown,
    { names, targets, options }: Fetches,
    request: RunRequest,
    signal: AbortSignal | undefined,
  ) {
    const running = engine.run(request, signal);
    if (request.transfer) disposeAll(feeds);
    const result = await running;
    if (result.profile) this.lastProfile = result.profile;
    const numbers = (options.int64 ?? this.int64) === 'number';
    const plain = (value: OnnxValue, name: string) => (numbers ? withNumbers(value, `output "${name}"`) : value);
    const entries = names.map((name, i) => {
      return [name, targets?.[i] ?? plain(fromNative(result.outputs[i] ?? null, engine), name)] as const;
    });
    return Object.fromEntries(entries) as InferenceSession.ReturnType;
  }
}

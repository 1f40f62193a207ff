// Inference sessions: a model in an engine, and a heap, of its own.
/// <reference lib="esnext.disposable" preserve="true" />
import { kDispose } from './dispose.js';
import { asOnnxError, checkAborted, invalidArgument, invalidInput, OnnxError } from './errors.js';
import { createSession, metadataOf } from './loading.js';
import type { SessionInfo } from './module.js';
import {
  call,
  type Engine,
  type Loaded,
  type MemoryUse,
  type ModelMetadata,
  type NativePort,
  type NativeValue,
  type ProfileEntry,
} from './native.js';
import * as optionTypes from './options.js';
import { createArguments, type Fetches, fetchesOf, unknownName } from './session_arguments.js';
import type { ModelSource } from './source.js';
import { Tensor } from './tensor.js';
import { fromNative, type OnnxValue, targetOf, toNative, typeText } from './values.js';

export declare namespace InferenceSession {
  type SessionOptions = optionTypes.SessionOptions;
  type RunOptions = optionTypes.RunOptions;
  type OnnxValueMapType = { readonly [name: string]: OnnxValue };
  type NullableOnnxValueMapType = { readonly [name: string]: OnnxValue | null };
  /** Values by the names of the inputs. */
  type FeedsType = OnnxValueMapType;
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
  private engine: Engine | undefined;
  private profiling: boolean;
  private lastProfile: readonly ProfileEntry[] = [];
  private turn: Promise<void> | undefined;
  private lost: OnnxError | undefined;
  private readonly inputs: readonly NativePort[];

  private constructor(engine: Engine, loaded: Loaded, info: SessionInfo, profiling: boolean) {
    if (!kLoaded.has(loaded)) throw invalidArgument('sessions are made by InferenceSession.create()');
    this.engine = engine;
    this.info = info;
    this.profiling = profiling;
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
      return await createSession(source, settings, (engine, loaded, info, profiling) => {
        kLoaded.add(loaded);
        return new InferenceSession(engine, loaded, info, profiling);
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
      return await this.inTurn((engine) => {
        checkAborted(signal);
        return this.runNow(engine, this.feedsOf(feeds), fetches, signal);
      });
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
    const engine = this.usable();
    return call(() => engine.memory());
  }

  /** Gives all memory back, once running calls are done. A second call does nothing. */
  async release(): Promise<void> {
    if (!this.engine) return;
    if (this.turn) await this.turn;
    const engine = this.engine;
    this.engine = undefined;
    // A heap that a trap has broken is left to the garbage collector.
    if (engine && !this.lost) call(() => engine.delete());
  }

  [kDispose](): void {
    this.release().catch(() => {});
  }

  private usable(): Engine {
    if (this.lost) throw this.lost;
    if (!this.engine) throw invalidArgument('the session is released');
    return this.engine;
  }

  private async inTurn<T>(job: (engine: Engine) => T): Promise<T> {
    while (this.turn) await this.turn;
    const engine = this.usable();
    let done = () => {};
    this.turn = new Promise((resolve) => {
      done = resolve;
    });
    try {
      return job(engine);
    } catch (error) {
      if (error instanceof OnnxError && error.code === 'instance_lost') this.lost = error;
      throw error;
    } finally {
      this.turn = undefined;
      done();
    }
  }

  /** One value per input, in the engine's order. */
  private feedsOf(feeds: unknown): NativeValue[] {
    if (typeof feeds !== 'object' || feeds === null || Array.isArray(feeds) || feeds instanceof Tensor) {
      throw invalidInput("'feeds' must be an object of values by the names of the inputs");
    }
    const given = feeds as Record<string, unknown>;
    const known = this.inputs.map((port) => port.name);
    const wrong = Object.keys(given).find((name) => given[name] !== undefined && !known.includes(name));
    if (wrong !== undefined) throw unknownName('input', wrong, known);
    return this.inputs.map((port) => {
      const value = given[port.name];
      if ((value === undefined || value === null) && !port.optional) {
        throw invalidInput(`the input "${port.name}" (${typeText(port)}) is missing in 'feeds'`);
      }
      return toNative(value, port, `input "${port.name}"`);
    });
  }

  private runNow(engine: Engine, feeds: NativeValue[], fetches: Fetches, signal: AbortSignal | undefined) {
    const { names, targets, options } = fetches;
    const request = {
      feeds,
      wanted: names.map((name) => this.outputNames.indexOf(name)),
      targets: targets.map((t, i) => (t == null ? null : targetOf(t, `the fetch "${names[i]}"`))),
      profile: options.profile ?? this.profiling,
      ...(signal ? { shouldAbort: () => signal.aborted } : {}),
    };
    let result: ReturnType<typeof runEngine>;
    try {
      result = runEngine(engine, request);
    } catch (error) {
      checkAborted(signal);
      throw error;
    }
    if (result.profile) this.lastProfile = result.profile;
    const entries = result.outputs.map((value, i) => [names[i], targets[i] ?? fromNative(value)] as const);
    return Object.fromEntries(entries) as InferenceSession.ReturnType;
  }
}

function runEngine(engine: Engine, request: Parameters<Engine['run']>[0]) {
  return call(() => engine.run(request));
}

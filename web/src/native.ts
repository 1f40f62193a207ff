// The border to the engine: what bindings/ declares there, and the guard around every call.
import type { Codecs } from './codecs.js';
import { OnnxError, type OnnxErrorCode } from './errors.js';
import type { PThread } from './threads.js';

export interface NativeTensor {
  dtype: number;
  dims: number[];
  /** The elements as stored, or strings. */
  data: Uint8Array | string[];
}
/** A tensor that the engine holds under this number. */
export interface NativeHeld {
  dtype: number;
  dims: number[];
  held: number;
}
/** null: none. */
export type NativeValue =
  | null
  | NativeTensor
  | NativeHeld
  | { dtype: number; items: NativeValue[] }
  | { keys: NativeTensor; values: NativeValue[] };

export interface NativeType {
  kind: 'unknown' | 'tensor' | 'sequence' | 'optional' | 'map';
  /** Of a tensor's elements, or of a map's keys. */
  dtype: number;
  /** Tensors whose rank is declared; -1: nothing is known of the dimension. */
  shape?: (number | string)[];
  element?: NativeType;
}

export interface NativePort extends NativeType {
  name: string;
  /** May be left out: it has a default, or is declared optional. */
  optional: boolean;
}

/** What the model's file says of itself. */
export interface ModelMetadata {
  readonly irVersion: number;
  readonly producerName: string;
  readonly producerVersion: string;
  readonly domain: string;
  readonly modelVersion: number;
  readonly description: string;
  readonly graphName: string;
  /** Versions of the operator sets by domain; the standard's own is 'ai.onnx'. */
  readonly opsets: Readonly<Record<string, number>>;
  /** metadata_props of the file. */
  readonly custom: Readonly<Record<string, string>>;
  /** How many nodes of each operator there are, subgraphs included. */
  readonly operators: Readonly<Record<string, number>>;
  /** Elements of all constants. */
  readonly parameters: number;
}

/** One node's part of a profiled run. Milliseconds; `start` counts from the start of the run. */
export interface ProfileEntry {
  readonly node: string;
  readonly opType: string;
  readonly start: number;
  readonly duration: number;
  /** Types and shapes of the inputs. */
  readonly shapes: string;
  /** 0 in the main graph, 1 in its subgraphs... Entries stand where their nodes ended: the inner ones before the outer. */
  readonly depth: number;
  /** Of a node of the main graph: how many nodes ran in its subgraphs that have no entry, since the profile was full (100,000). */
  readonly leftOut?: number;
}

/** Bytes by what they are for. */
export interface MemoryUse {
  /** Constants, as in the file. */
  readonly weights: number;
  /** Constants in the form that the kernels want. */
  readonly packed: number;
  /** Intermediate results. */
  readonly arena: number;
  readonly scratch: number;
  /** The whole heap of WebAssembly, with what is free in it. */
  readonly heap: number;
}

/** An operator in JavaScript, as the engine calls it; neither throws: {error} says what went wrong. */
export interface NativeOperator {
  infer?(
    inputs: ({ dtype: number; dims: number[] } | null)[],
    attributes: Record<string, unknown>,
  ): ({ dtype: number; dims: number[] } | undefined)[] | undefined | { error: string };
  run(inputs: NativeValue[], attributes: Record<string, unknown>, wanted: boolean[]): NativeValue[] | { error: string };
}

/** The bytes of a model, read once from their start to their end. */
export interface NativeBytes {
  readonly size: number;
  /** Copies the next bytes to the beginning of `to`, a view of the heap: how many, 0 at the end. */
  read(to: Uint8Array): number;
}

export interface LoadRequest {
  model: NativeBytes;
  optimizationLevel: number;
  winograd: boolean;
  threads: number;
  freeDimensions: [string, number][];
  /** Fills `to`, a view of the heap; returns why it cannot, or undefined. */
  externalData?: (location: string, offset: number, to: Uint8Array) => string | undefined;
  customOperators?: (domain: string, name: string) => NativeOperator | undefined;
}
export interface Loaded {
  inputs: NativePort[];
  outputs: NativePort[];
  metadata: ModelMetadata;
}
export interface RunRequest {
  feeds: NativeValue[];
  wanted: number[];
  /** Per wanted output one to write into, or null; empty: none for any. */
  targets: (NativeTensor | NativeHeld | null)[];
  /** Per wanted output: shall the engine hold it? Empty: none. Of engines in this thread. */
  hold: boolean[];
  profile: boolean;
  /** Buffers that feeds fill may go to where the run is, in place of copies. */
  transfer?: boolean;
  shouldAbort?: () => boolean;
}
export interface RunResult {
  outputs: NativeValue[];
  profile?: ProfileEntry[];
}

export interface Failure {
  error: { code: OnnxErrorCode; message: string; node: string; opType: string };
}

/** An engine's address in the heap: _sardonyx_create() makes it, _sardonyx_delete() ends it, once. */
export type Engine = number;

/** One instance of the module: its own heap, shared with no other. See mailbox.ts for the functions of numbers. */
export interface Instance {
  _sardonyx_create(): Engine;
  _sardonyx_delete(engine: Engine): void;
  load(engine: Engine, request: LoadRequest): Loaded | Failure;
  /** A run with values of all kinds; that of a Mailbox begins there. It goes on there as well. */
  begin(engine: Engine, request: RunRequest): undefined | Failure;
  finish(engine: Engine, targets: RunRequest['targets']): RunResult | Failure;
  /** What the function of numbers that failed last reports. */
  failure(engine: Engine): Failure;
  memory(engine: Engine): MemoryUse | Failure;
  readHeld(engine: Engine, held: number): NativeTensor | Failure;
  _sardonyx_drop(engine: Engine, held: number): void;
  types(request: Pick<LoadRequest, 'model'>): Uint8Array | Failure;
  /** Multiply-adds of the last run's plan; -1: there is none yet. */
  _sardonyx_macs(engine: Engine): number;
  _sardonyx_mailbox(engine: Engine): number;
  _sardonyx_place(engine: Engine): number;
  _sardonyx_begin(engine: Engine): number;
  _sardonyx_advance(engine: Engine, milliseconds: number): number;
  _sardonyx_collect(engine: Engine): number;
  _sardonyx_cancel(engine: Engine): void;
  readonly heap: WebAssembly.Memory;
  /** Of builds with threads. */
  readonly PThread?: PThread;
  /** What the engine's ImageDecoder calls (bindings/js_image.cpp). */
  codecs?: Codecs;
}

/** What a callback of the caller threw, where the engine reports it: the cause of the error to come. */
export const callback: { thrown: unknown } = { thrown: undefined };

/** What was thrown during a call, as the caller of the package gets it. */
function translated(error: unknown): unknown {
  const isOverflow = error instanceof RangeError && /stack/i.test(error.message);
  // Nothing can be said of the state that a trap leaves behind.
  if (error instanceof WebAssembly.RuntimeError || isOverflow) {
    const message = `WebAssembly failed (${String(error)}); this session cannot be used any more`;
    return new OnnxError('instance_lost', message, { cause: error });
  }
  if (error instanceof RangeError && /alloc|array length/i.test(error.message)) {
    return new OnnxError('out_of_memory', `JavaScript has no room for the result: ${error.message}`, { cause: error });
  }
  return error;
}

/**
 * The result of a call into the engine. Throws OnnxError: what the engine reports, or `instance_lost` for a trap.
 * What a callback of the caller threw passes through as it is.
 */
export function call<T>(body: () => T | Failure): T {
  let result: T | Failure;
  try {
    result = body();
  } catch (error) {
    throw translated(error);
  }
  if (typeof result === 'object' && result !== null && 'error' in result) {
    const { code, message, node, opType } = result.error;
    const cause = callback.thrown;
    callback.thrown = undefined;
    throw new OnnxError(code, message, { node, opType, cause });
  }
  return result as T;
}

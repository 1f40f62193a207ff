// What the page and the worker with the session say to each other.
import type { CreateProgress, InferenceSession, MemoryUse, ModelMetadata, ProfileEntry, SessionInfo } from 'sardonyx';
import type { Spoken } from '../i18n/said.js';

/** A tensor that can be cloned between threads. */
export interface PlainTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: ArrayLike<number> | BigInt64Array | BigUint64Array | readonly string[];
}
/** A value that is shown in words: null for none, else text, or what holds others (the first of them). */
export type Described =
  | null
  | string
  | { readonly sequence: number; readonly items: readonly Described[] }
  | { readonly map: number; readonly items: readonly (readonly [key: string, item: Described])[] };
/** An output: a tensor, or any other value as it is told. */
export type Output = { readonly name: string } & (
  | ({ readonly told?: undefined } & PlainTensor)
  | { readonly told: Described }
);

export interface EngineOptions {
  /** 0: as many as are sensible. */
  readonly threads: number;
  readonly simd: 'relaxed' | 'fixed';
  readonly optimization: 'all' | 'basic' | 'disabled';
}

export interface LoadRequest {
  readonly model: Blob | Uint8Array;
  readonly externalData: readonly { readonly path: string; readonly data: Blob }[];
  readonly options: EngineOptions;
}
export interface LoadResult {
  readonly inputs: readonly InferenceSession.ValueMetadata[];
  readonly outputs: readonly InferenceSession.ValueMetadata[];
  readonly metadata: ModelMetadata;
  readonly info: SessionInfo;
  readonly memory: MemoryUse;
  readonly ms: number;
}

export interface RunRequest {
  readonly feeds: Readonly<Record<string, PlainTensor>>;
  readonly repeat: number;
  readonly profile: boolean;
}
export interface RunResult {
  readonly outputs: readonly Output[];
  /** Milliseconds of each run. */
  readonly times: readonly number[];
  /** Of the last run. */
  readonly profile: readonly ProfileEntry[] | undefined;
  readonly memory: MemoryUse;
  /** Bytes of the whole heap after each run. */
  readonly heaps: readonly number[];
  readonly macs: number | undefined;
  /** What ran it. */
  readonly info: SessionInfo;
}

export type Progress = CreateProgress | { readonly phase: 'run'; readonly loaded: number; readonly total: number };

export type Question =
  | { readonly id: number; readonly action: 'load'; readonly request: LoadRequest }
  | { readonly id: number; readonly action: 'run'; readonly request: RunRequest }
  | { readonly action: 'cancel' };
export type Answer =
  | { readonly id: number; readonly result: unknown }
  | ({ readonly id: number } & Spoken)
  | { readonly progress: Progress };

// What the page knows: the model that is open, what goes on, what went wrong.
import { signal } from '@preact/signals';
import type { EngineOptions, LoadResult, PlainTensor, Progress, RunResult } from './engine/messages.js';
import type { OpenGraph } from './graph/open_graph.js';
import { EngineError, type Failure } from './i18n/said.js';
import type { OpenSample } from './samples/open_sample.js';

export type View = 'graph' | 'model' | 'run' | 'profile' | 'check' | 'sample';

export interface ExternalFile {
  readonly path: string;
  readonly data: Blob;
}
/** A model that was opened: its bytes stay where they are, in a file or a Blob. */
export interface Model {
  readonly name: string;
  readonly blob: Blob;
  readonly externalData: readonly ExternalFile[];
  /** What makes tokens of text for it. */
  readonly tokenizer?: Blob;
  /** What its image is filled with at first. */
  readonly picture?: HTMLCanvasElement;
}
export interface Problem {
  readonly message: string;
  /** Nothing went wrong: what the user wanted happened. */
  readonly calm?: boolean;
  /** The words are the engine's or its tools', which are English. */
  readonly failure?: Failure;
}

export const model = signal<Model | undefined>(undefined);
/** The session's answer; undefined while it loads, or where it could not be made. */
export const loaded = signal<LoadResult | undefined>(undefined);
export const busy = signal<'' | 'fetch' | 'load' | 'run'>('');
export const progress = signal<Progress | undefined>(undefined);
export const problem = signal<Problem | undefined>(undefined);

export function problemOf(error: unknown): Problem {
  const { message } = error as Error;
  return error instanceof EngineError ? { message, failure: error } : { message };
}

export const view = signal<View>('graph');
export const engineOptions = signal<EngineOptions>({ threads: 0, simd: 'relaxed', optimization: 'all' });
export const lastRun = signal<RunResult | undefined>(undefined);
/** The graph of the open model. */
export const openGraph = signal<OpenGraph | undefined>(undefined);
/** Opens the last model again, after it was closed. */
export const reopen = signal<(() => void) | undefined>(undefined);
/** The sample that is open, and the download of one that is not yet. */
export const openSample = signal<OpenSample | undefined>(undefined);
export const fetching = signal<AbortController | undefined>(undefined);

export type Feeds = Record<string, PlainTensor>;
/** Makes the inputs as they are filled in now. */
export const feedsMaker = signal<(() => Promise<Feeds>) | undefined>(undefined);
/** The inputs of the last run. */
export const lastFeeds = signal<Feeds | undefined>(undefined);
/** The graph in the colours of the last run's times. */
export const showHeat = signal(false);

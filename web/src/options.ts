// Options of sessions and runs, by the names of onnxruntime-common, and what they come to.
import { invalidArgument } from './errors.js';
import type { ExternalDataFile } from './external_data.js';

export interface CreateProgress {
  /** reading: bytes arrive; preparing: the graph is built and optimised; ready: the session is there. */
  readonly phase: 'reading' | 'preparing' | 'ready';
  /** Bytes of the model so far. */
  readonly loaded: number;
  /** Bytes of the model; undefined where the source does not say. */
  readonly total: number | undefined;
}

export interface SessionOptions {
  /** A list by preference. 'wasm' and 'cpu' (both: WebAssembly) exist; others are passed over if one of them follows. */
  readonly executionProviders?: readonly (string | { readonly name: string })[];
  /** Fixes symbolic dimensions of the inputs by name. */
  readonly freeDimensionOverrides?: Readonly<Record<string, number>>;
  /** disabled: as it is; basic: folding and dead code; the others: fusions too. @default 'all' */
  readonly graphOptimizationLevel?: 'disabled' | 'basic' | 'extended' | 'layout' | 'all';
  /** Files with weights that the model refers to. In Node.js, files beside a model's file are found without. */
  readonly externalData?: readonly ExternalDataFile[];
  /** Every run records a profile: see InferenceSession.profile(). */
  readonly enableProfiling?: boolean;
  readonly onProgress?: (progress: CreateProgress) => void;
  /** Ends the creation between two blocks of bytes. */
  readonly signal?: AbortSignal;
  /** Accepted for compatibility, without effect. */
  readonly intraOpNumThreads?: number;
  readonly interOpNumThreads?: number;
  readonly enableCpuMemArena?: boolean;
  readonly enableMemPattern?: boolean;
  readonly executionMode?: 'sequential' | 'parallel';
  readonly optimizedModelFilePath?: string;
  readonly profileFilePrefix?: string;
  readonly logId?: string;
  readonly logSeverityLevel?: 0 | 1 | 2 | 3 | 4;
  readonly logVerbosityLevel?: number;
  readonly preferredOutputLocation?: string | Readonly<Record<string, string>>;
  readonly enableGraphCapture?: boolean;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface RunOptions {
  /** Asked before each node: the run ends with OnnxError (aborted), the session stays as it was. */
  readonly signal?: AbortSignal;
  /** Records a profile: see InferenceSession.profile(). */
  readonly profile?: boolean;
  /** Accepted for compatibility, without effect. */
  readonly logSeverityLevel?: 0 | 1 | 2 | 3 | 4;
  readonly logVerbosityLevel?: number;
  readonly terminate?: boolean;
  readonly tag?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface Settings {
  readonly optimizationLevel: number;
  readonly freeDimensions: [string, number][];
  readonly externalData: readonly ExternalDataFile[];
  readonly profiling: boolean;
  readonly onProgress: (progress: CreateProgress) => void;
  readonly signal: AbortSignal | undefined;
}

const kLevels: Readonly<Record<string, number>> = { disabled: 0, basic: 1, extended: 2, layout: 2, all: 2 };
const kProviders = ['wasm', 'cpu'];

function checkProviders(providers: unknown): void {
  if (providers === undefined) return;
  if (!Array.isArray(providers)) throw invalidArgument("'executionProviders' must be an array of names");
  const names = providers.map((provider) => (typeof provider === 'string' ? provider : provider?.name));
  if (names.length === 0 || names.some((name) => kProviders.includes(name))) return;
  throw invalidArgument(
    `there is no execution provider ${names.map((n) => `"${n}"`).join(', ')}; there are "wasm" and "cpu"`,
  );
}

function freeDimensionsOf(overrides: unknown): [string, number][] {
  if (overrides === undefined) return [];
  if (typeof overrides !== 'object' || overrides === null) {
    throw invalidArgument("'freeDimensionOverrides' must be an object of names and numbers");
  }
  return Object.entries(overrides).map(([name, size]) => {
    if (!Number.isSafeInteger(size) || size < 0) {
      throw invalidArgument(`freeDimensionOverrides: "${name}" is ${String(size)}, not a whole number from 0 on`);
    }
    return [name, size];
  });
}

function callbackOf<T>(options: object, name: string): T | undefined {
  const value = (options as Record<string, unknown>)[name];
  if (value !== undefined && typeof value !== 'function') throw invalidArgument(`'${name}' must be a function`);
  return value as T | undefined;
}

export function signalOf(options: object): AbortSignal | undefined {
  const { signal } = options as { signal?: unknown };
  if (signal === undefined || signal === null) return undefined;
  if (typeof signal !== 'object' || !('aborted' in signal)) throw invalidArgument("'signal' must be an AbortSignal");
  return signal as AbortSignal;
}

/** @throws OnnxError (invalid_argument) */
export function settingsOf(options: unknown): Settings {
  if (options === undefined) options = {};
  if (typeof options !== 'object' || options === null) throw invalidArgument("'options' must be an object");
  const given = options as SessionOptions;
  checkProviders(given.executionProviders);
  const level = kLevels[given.graphOptimizationLevel ?? 'all'];
  if (level === undefined) {
    throw invalidArgument(
      `there is no graphOptimizationLevel "${given.graphOptimizationLevel}"; there are ${Object.keys(kLevels).join(', ')}`,
    );
  }
  if (given.externalData !== undefined && !Array.isArray(given.externalData)) {
    throw invalidArgument("'externalData' must be an array of {path, data}");
  }
  return {
    optimizationLevel: level,
    freeDimensions: freeDimensionsOf(given.freeDimensionOverrides),
    externalData: given.externalData ?? [],
    profiling: given.enableProfiling === true,
    onProgress: callbackOf(given, 'onProgress') ?? (() => {}),
    signal: signalOf(given),
  };
}

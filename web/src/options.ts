// Options of sessions and runs, by the names of onnxruntime-common, and what they come to.
import { invalidArgument, shown } from './errors.js';
import type { ExternalDataFile } from './external_data.js';
import { late } from './late.js';
import type { ExecutionProviderConfig } from './providers.js';
import type { Tensor } from './tensor_types.js';

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
  executionProviders?: readonly ExecutionProviderConfig[];
  /** Fixes symbolic dimensions of the inputs by name. */
  freeDimensionOverrides?: Readonly<Record<string, number>>;
  /** disabled: as it is; basic: folding and dead code; the others: fusions too. @default 'all' */
  graphOptimizationLevel?: 'disabled' | 'basic' | 'extended' | 'layout' | 'all';
  /** Files with weights that the model refers to. In Node.js, files beside a model's file are found without. */
  externalData?: readonly ExternalDataFile[];
  /** Every run records a profile: see InferenceSession.profile(). */
  enableProfiling?: boolean;
  onProgress?: (progress: CreateProgress) => void;
  /** The session in a worker of its own; false: never, even if that means one thread. @default env.wasm.proxy */
  worker?: boolean;
  /** Ends the creation between two blocks of bytes. */
  signal?: AbortSignal;
  /** 'number': results of the types int64 and uint64 come as float64 tensors. @default 'bigint' */
  int64?: 'bigint' | 'number';
  /**
   * 'cpu-pinned', of all outputs or by name: the result stays in the session's heap. Fed to the session again it is not
   * copied, and as a fetch it is written in place (in part only, where the run fails or is aborted); its data is a copy.
   * It is to be disposed, or else goes with the garbage. Without effect where the session runs in a worker or may move
   * into one (`worker: false` keeps it).
   */
  preferredOutputLocation?: Tensor.DataLocation | Readonly<Record<string, Tensor.DataLocation>>;
  /** Accepted for compatibility, without effect. */
  intraOpNumThreads?: number;
  interOpNumThreads?: number;
  enableCpuMemArena?: boolean;
  enableMemPattern?: boolean;
  executionMode?: 'sequential' | 'parallel';
  optimizedModelFilePath?: string;
  profileFilePrefix?: string;
  logId?: string;
  logSeverityLevel?: 0 | 1 | 2 | 3 | 4;
  logVerbosityLevel?: number;
  enableGraphCapture?: boolean;
  /** `winograd: false`: convolutions are summed directly: slower, with a third of the rounding error. Others have no effect. */
  extra?: Readonly<Record<string, unknown>>;
}

export interface RunOptions {
  /**
   * Ends the run before its next node with OnnxError (aborted); the session stays as it was, but tensors given for results
   * may be written in part. With a signal, other events get their turn between nodes; without, the run takes the thread
   * until it is done.
   */
  signal?: AbortSignal;
  /** As in the session's options, for this run. */
  int64?: 'bigint' | 'number';
  /** Records a profile: see InferenceSession.profile(). */
  profile?: boolean;
  /**
   * The feeds are given away: once the run begins, their tensors are disposed, and buffers that they fill go to a session in
   * a worker without a copy. @default false
   */
  transfer?: boolean;
  /** true: it ends before it begins, with OnnxError (aborted). */
  terminate?: boolean;
  /** Accepted for compatibility, without effect. */
  logSeverityLevel?: 0 | 1 | 2 | 3 | 4;
  logVerbosityLevel?: number;
  tag?: string;
  extra?: Readonly<Record<string, unknown>>;
}

export interface Settings {
  readonly optimizationLevel: number;
  readonly winograd: boolean;
  readonly freeDimensions: [string, number][];
  readonly externalData: readonly ExternalDataFile[];
  readonly profiling: boolean;
  readonly int64: 'bigint' | 'number';
  /** Shall the output stay in the heap? */
  readonly pinned: (output: string) => boolean;
  readonly worker: boolean | undefined;
  readonly onProgress: (progress: CreateProgress) => void;
  readonly signal: AbortSignal | undefined;
}

const kLevels = new Map([
  ['disabled', 0],
  ['basic', 1],
  ['extended', 2],
  ['layout', 2],
  ['all', 2],
]);
const kProviders: readonly unknown[] = ['wasm', 'cpu'];

type Check = readonly [what: string, fits: (value: unknown) => boolean];
const kBoolean: Check = ['true or false', (x) => typeof x === 'boolean'];
const kText: Check = ['a string', (x) => typeof x === 'string'];
const kCount: Check = ['a whole number from 0 on', (x) => Number.isSafeInteger(x) && (x as number) >= 0];
const kObject: Check = ['an object', (x) => typeof x === 'object' && x !== null && !Array.isArray(x)];
const oneOf = (...names: readonly unknown[]): Check => [
  names
    .map(shown)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or '),
  (x) => names.includes(x),
];
const isNone = (value: unknown): value is undefined | null => value === undefined || value === null;
const isHere = (place: unknown) => place === 'cpu' || place === 'cpu-pinned';

/** By the names of the options. */
function checksOf(list: readonly (readonly [names: string, check: Check])[]): Readonly<Record<string, Check>> {
  return Object.fromEntries(list.flatMap(([names, check]) => names.split(' ').map((name) => [name, check])));
}

// What else is looked at below.
const kAny: Check = ['', () => true];
const kBoth: readonly (readonly [string, Check])[] = [
  ['int64', oneOf('bigint', 'number')],
  ['logSeverityLevel', oneOf(0, 1, 2, 3, 4)],
  ['logVerbosityLevel', kCount],
  ['extra', kObject],
  ['signal', kAny],
];
const kSessionChecks = checksOf([
  ...kBoth,
  ['executionProviders freeDimensionOverrides graphOptimizationLevel externalData', kAny],
  ['enableProfiling worker enableCpuMemArena enableMemPattern enableGraphCapture', kBoolean],
  ['onProgress', ['a function', (x) => typeof x === 'function']],
  ['intraOpNumThreads interOpNumThreads', kCount],
  ['executionMode', oneOf('sequential', 'parallel')],
  ['optimizedModelFilePath profileFilePrefix logId', kText],
  [
    'preferredOutputLocation',
    [
      '"cpu" or "cpu-pinned": there are no results elsewhere',
      (x) => isHere(x) || (kObject[1](x) && Object.values(x as object).every(isHere)),
    ],
  ],
]);
const kRunChecks = checksOf([...kBoth, ['profile transfer terminate', kBoolean], ['tag', kText]]);

export const isRunOption = (name: string): boolean => name in kRunChecks;

/** `options`, which must be an object, or undefined; each field that has a check fits it, or is undefined or null. */
function checkedOptions(kind: string, options: unknown, checks: Readonly<Record<string, Check>>): object {
  if (options === undefined) return {};
  if (!kObject[1](options)) throw invalidArgument(`'options' must be an object, not ${shown(options)}`);
  const given = options as Record<string, unknown>;
  for (const [name, [what, fits]] of Object.entries(checks)) {
    const value = given[name];
    if (!isNone(value) && !fits(value)) throw invalidArgument(`'${name}' must be ${what}, not ${shown(value)}`);
  }
  checkNames(`${kind} option`, given, Object.keys(checks));
  return given;
}

function checkProviders(providers: unknown): void {
  if (isNone(providers)) return;
  if (!Array.isArray(providers)) throw invalidArgument("'executionProviders' must be an array of names");
  const names = providers.map((provider: unknown, i) => {
    const name = typeof provider === 'object' && provider !== null ? (provider as { name?: unknown }).name : provider;
    if (typeof name === 'string') return name;
    throw invalidArgument(`executionProviders[${i}] must be a name or {name}, not ${shown(provider)}`);
  });
  if (names.length === 0 || names.some((name) => kProviders.includes(name))) return;
  throw invalidArgument(`there is no execution provider ${names.map(shown).join(', ')}; there are "wasm" and "cpu"`);
}

function freeDimensionsOf(overrides: unknown): [string, number][] {
  if (isNone(overrides)) return [];
  if (!kObject[1](overrides)) throw invalidArgument("'freeDimensionOverrides' must be an object of names and numbers");
  return Object.entries(overrides as object).map(([name, size]) => {
    if (!Number.isSafeInteger(size) || size < 0) {
      throw invalidArgument(`freeDimensionOverrides: "${name}" is ${shown(size)}, not a whole number from 0 on`);
    }
    return [name, size];
  });
}

/** The console shall say which name is meant by one that is not among `known`. @param where "session option", "env.wasm" */
export function checkNames(where: string, given: object, known: readonly string[]): void {
  if (Object.keys(given).every((name) => known.includes(name))) return;
  // Where nothing can be loaded later, nothing is said.
  late('option_names', () => import('./option_names.js'))
    .then(({ warnOfNames }) => warnOfNames(where, given, known))
    .catch(() => {});
}

export function signalOf(options: object): AbortSignal | undefined {
  const { signal } = options as { signal?: unknown };
  if (isNone(signal)) return undefined;
  if (typeof signal !== 'object' || typeof (signal as AbortSignal).aborted !== 'boolean') {
    throw invalidArgument(`'signal' must be an AbortSignal, not ${shown(signal)}`);
  }
  return signal as AbortSignal;
}

/** @throws OnnxError (invalid_argument) */
export function runOptionsOf(options: unknown): RunOptions {
  return checkedOptions('run', options, kRunChecks) as RunOptions;
}

/** @throws OnnxError (invalid_argument) */
export function settingsOf(options: unknown): Settings {
  const given = checkedOptions('session', options, kSessionChecks) as SessionOptions;
  checkProviders(given.executionProviders);
  const level = kLevels.get(given.graphOptimizationLevel ?? 'all');
  if (level === undefined) {
    const there = [...kLevels.keys()].join(', ');
    throw invalidArgument(
      `there is no graphOptimizationLevel ${shown(given.graphOptimizationLevel)}; there are ${there}`,
    );
  }
  if (!isNone(given.externalData) && !Array.isArray(given.externalData)) {
    throw invalidArgument("'externalData' must be an array of {path, data}");
  }
  const winograd = given.extra?.winograd ?? true;
  if (typeof winograd !== 'boolean') {
    throw invalidArgument(`'extra.winograd' must be true or false, not ${shown(winograd)}`);
  }
  const place = given.preferredOutputLocation;
  return {
    optimizationLevel: level,
    winograd,
    freeDimensions: freeDimensionsOf(given.freeDimensionOverrides),
    externalData: given.externalData ?? [],
    profiling: given.enableProfiling === true,
    int64: given.int64 ?? 'bigint',
    pinned: (output) => (typeof place === 'string' ? place : place?.[output]) === 'cpu-pinned',
    worker: given.worker ?? undefined,
    onProgress: given.onProgress ?? (() => {}),
    signal: signalOf(given),
  };
}

// The builds of the WebAssembly module, and which one is taken here.
import type { Instance } from './native.js';
import { hasFiles, nodeModule } from './platform.js';

export interface GlueOptions {
  instantiateWasm(
    /** WebAssembly.Imports, which the types of Node.js do not have. */
    imports: object,
    done: (instance: WebAssembly.Instance, module?: WebAssembly.Module) => void,
  ): object;
}
export type Factory = (options: GlueOptions) => Promise<Omit<Instance, 'heap'>>;

export type VariantName = 'simd' | 'simd-threads' | 'relaxed' | 'relaxed-threads';
export interface Variant {
  readonly name: VariantName;
  /** Literal URLs and imports: bundlers find the files by them, and take them along. */
  wasm(): URL;
  glue(): Promise<{ default: Factory }>;
}

const kVariants: Record<VariantName, Variant> = {
  simd: {
    name: 'simd',
    wasm: () => new URL('./wasm/sardonyx-simd.wasm', import.meta.url),
    glue: () => import('./wasm/sardonyx-simd.mjs'),
  },
  'simd-threads': {
    name: 'simd-threads',
    wasm: () => new URL('./wasm/sardonyx-simd-threads.wasm', import.meta.url),
    glue: () => import('./wasm/sardonyx-simd-threads.mjs'),
  },
  relaxed: {
    name: 'relaxed',
    wasm: () => new URL('./wasm/sardonyx-relaxed.wasm', import.meta.url),
    glue: () => import('./wasm/sardonyx-relaxed.mjs'),
  },
  'relaxed-threads': {
    name: 'relaxed-threads',
    wasm: () => new URL('./wasm/sardonyx-relaxed-threads.wasm', import.meta.url),
    glue: () => import('./wasm/sardonyx-relaxed-threads.mjs'),
  },
};

// (func) with f32x4.relaxed_madd and i32x4.relaxed_dot_i8x16_i7x16_add_s: engines that lack them call it invalid.
// biome-ignore format: the module's sections, line by line
const kRelaxedProbe = Uint8Array.of(
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 0x0a, 0x1f, 1, 0x1d, 0,
  0x41, 0, 0xfd, 0x0f, 0x41, 0, 0xfd, 0x0f, 0x41, 0, 0xfd, 0x0f, 0xfd, 0x85, 2,
  0x41, 0, 0xfd, 0x0f, 0x41, 0, 0xfd, 0x0f, 0xfd, 0x93, 2, 0x1a, 0x0b,
);
let relaxedWorks: boolean | undefined;

/** wanted: turn it on where Node.js (before 22) has it behind a flag, for the whole process. */
export function hasRelaxedSimd(wanted: boolean): boolean {
  relaxedWorks ??= WebAssembly.validate(kRelaxedProbe);
  if (!relaxedWorks && wanted && hasFiles()) {
    nodeModule('node:v8')?.setFlagsFromString('--experimental-wasm-relaxed-simd');
    relaxedWorks = WebAssembly.validate(kRelaxedProbe);
  }
  return relaxedWorks;
}

export interface Wish {
  /** 0 or undefined: as many as are sensible here. */
  readonly threads: number | undefined;
  /** A session in a worker of its own; undefined: where threads need it. */
  readonly worker: boolean | undefined;
  /** 'fixed': no relaxed SIMD; 'relaxed': behind a flag too. */
  readonly simd: unknown;
  /** The caller brings a module: one with threads, or one without. */
  readonly given: 'threads' | 'plain' | undefined;
}

export interface Choice {
  readonly variant: Variant;
  readonly threads: number;
  readonly worker: boolean;
  /** For people: the reason of this choice. */
  readonly why: string;
}

const kMostThreads = 64;
const kMostByDefault = 4;

interface Scope {
  crossOriginIsolated?: boolean;
  navigator?: { hardwareConcurrency?: number };
  DedicatedWorkerGlobalScope?: new () => object;
}

/** Why there can be no threads here, or undefined. */
function obstacle(scope: Scope): string | undefined {
  if (hasFiles()) return nodeModule('node:worker_threads') ? undefined : 'there are no worker_threads';
  if (scope.crossOriginIsolated === false) return 'the page is not cross-origin isolated (COOP and COEP headers)';
  if (typeof SharedArrayBuffer === 'undefined') return 'there is no SharedArrayBuffer here';
  return typeof Worker === 'undefined' ? 'there are no workers here' : undefined;
}

/** May this thread wait for others? Those of pages must not. */
function mayWait(scope: Scope): boolean {
  const { DedicatedWorkerGlobalScope } = scope;
  return hasFiles() || (!!DedicatedWorkerGlobalScope && scope instanceof DedicatedWorkerGlobalScope);
}

function threadsOf(wish: Wish, scope: Scope): { threads: number; why: string } {
  const one = (why: string) => ({ threads: 1, why: `one thread: ${why}` });
  if (wish.given === 'plain') return one('the module that was given has no others');
  const cores = scope.navigator?.hardwareConcurrency ?? nodeModule('node:os')?.availableParallelism() ?? 1;
  const wanted = wish.threads || Math.min(kMostByDefault, Math.ceil(cores / 2));
  if (wanted === 1) return one(wish.threads === 1 ? 'it was asked for' : `the processor has ${cores}`);
  const problem = obstacle(scope);
  if (problem !== undefined) return one(problem);
  if (wish.worker === false && !mayWait(scope)) return one("threads need 'worker', which is false");
  const threads = Math.min(wanted, kMostThreads);
  const why = threads < wanted ? `no more, ${wanted} were asked for` : wish.threads ? 'asked for' : `half of ${cores}`;
  return { threads, why: `${threads} threads: ${why}` };
}

export function chooseVariant(wish: Wish): Choice {
  const scope = globalThis as Scope;
  const { threads, why } = threadsOf(wish, scope);
  const relaxed = wish.simd !== 'fixed' && wish.given === undefined && hasRelaxedSimd(wish.simd === 'relaxed');
  const reason = wish.given !== undefined ? 'given' : wish.simd === 'fixed' ? 'asked for' : 'what the engine has';
  const threaded = wish.given === undefined ? threads > 1 : wish.given === 'threads';
  const name: VariantName = `${relaxed ? 'relaxed' : 'simd'}${threaded ? '-threads' : ''}`;
  const worker = wish.worker ?? (threads > 1 && !mayWait(scope));
  return { variant: kVariants[name], threads, worker, why: `${name}: ${reason}; ${why}` };
}

/** What is left to try when `choice` has failed: without worker and threads, then without relaxed SIMD. */
export function nextChoice(choice: Choice, problem: string): Choice | undefined {
  const { variant, threads, worker, why } = choice;
  const plain = variant.name.replace('-threads', '') as VariantName;
  if (threads === 1 && !worker && plain === 'simd') return undefined;
  const name = threads > 1 || worker ? plain : 'simd';
  return { variant: kVariants[name], threads: 1, worker: false, why: `${name}, because ${problem} (${why})` };
}

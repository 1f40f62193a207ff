// Which engine a session gets: the best variant that starts here, and the reason in words.
import { LocalEngine, type SessionEngine } from './engine.js';
import { messageOf, OnnxError } from './errors.js';
import { startInstance } from './instance.js';
import { late } from './late.js';
import { bringsModule, compiled, compiledGiven, glueOf, inTime, platformError } from './module.js';
import { type Choice, chooseVariant, nextChoice } from './variants.js';
import { type WasmSettings, wasmSettings } from './wasm_settings.js';

/** What runs a session, and why. May change during the first runs. */
export interface SessionInfo {
  /** simd, relaxed, simd-threads or relaxed-threads. */
  readonly variant: string;
  /** With the one that calls run(). */
  readonly threads: number;
  /** Does the session live in a worker of its own? */
  readonly worker: boolean;
  /** For people: how this was chosen, and what failed before. */
  readonly why: string;
}
/** Files up to here start in the page: their bytes are kept, outside the heap, until it is decided where they stay. */
export const kSmallBytes = 8 << 20;

export interface Created {
  readonly engine: SessionEngine;
  readonly info: SessionInfo;
}

function created(choice: Choice, engine: SessionEngine, threads: number, problem: string | undefined): Created {
  const { variant, worker, why } = choice;
  const info = { variant: variant.name, threads, worker, why: problem === undefined ? why : `${why}; ${problem}` };
  return { engine, info };
}

async function start(choice: Choice, settings: WasmSettings, given?: WebAssembly.Module): Promise<Created> {
  const { variant, threads, worker } = choice;
  if (worker) {
    const module = given ?? (await compiled(variant, settings));
    // Most pages never need it.
    const { RemoteEngine } = await import('./remote_engine.js');
    const remote = await RemoteEngine.start(module, variant.name, threads);
    return created(choice, remote.engine, remote.threads, remote.problem);
  }
  const [module, glue] = await Promise.all([given ?? compiled(variant, settings), glueOf(variant)]);
  const kind = variant.name.startsWith('relaxed') ? 'relaxed' : 'simd';
  try {
    const started = await startInstance(module, glue.default, kind, threads);
    return created(choice, new LocalEngine(started.instance, started.threads), started.threads, started.problem);
  } catch (error) {
    throw platformError('start', error);
  }
}

/** As start(), after the self-test where that is asked for. */
async function startTested(choice: Choice, settings: WasmSettings, given?: WebAssembly.Module): Promise<Created> {
  if (settings.selfTest) {
    const { selfTest } = await late('self_test', () => import('./self_test.js'));
    await selfTest(await start(choice, settings, given));
  }
  return start(choice, settings, given);
}

// Modules with threads import their memory.
function kindOf(module: WebAssembly.Module): 'threads' | 'plain' {
  return WebAssembly.Module.imports(module).some(({ kind }) => kind === 'memory') ? 'threads' : 'plain';
}

async function startBest(settings: WasmSettings, worker: boolean | undefined): Promise<Created> {
  const module = await compiledGiven(settings);
  const wish = {
    threads: settings.threads,
    worker: worker ?? settings.proxy,
    simd: settings.simd,
    given: module && kindOf(module),
  };
  return startFrom(chooseVariant(wish), settings, module);
}

/** How engines start. */
export type Start = typeof startTested;

/** `first`, or what else starts. */
async function startFrom(first: Choice, settings: WasmSettings, given?: WebAssembly.Module): Promise<Created> {
  const threaded = given !== undefined && kindOf(given) === 'threads';
  for (let choice = first; ; ) {
    try {
      return await startTested(choice, settings, given);
    } catch (error) {
      const next = nextChoice(choice, messageOf(error));
      if (!next || next.variant.name.endsWith('-threads') !== threaded) throw error;
      choice = next;
    }
  }
}

/** Threads that need a worker, which nobody has asked for: the choice for models that are not small. */
function workerForThreads(settings: WasmSettings, worker: boolean | undefined): Choice | undefined {
  const { threads, simd, proxy } = settings;
  if (worker !== undefined || proxy || bringsModule(settings)) return undefined;
  const choice = chooseVariant({ threads, simd, worker, given: undefined });
  return choice.worker ? choice : undefined;
}

/**
 * @param worker true: in a worker of its own; undefined: as env.wasm.proxy says, and where threads need it
 * @param modelBytes the size of the model, where that is known
 * @throws OnnxError (load_failed, unsupported_platform)
 */
export async function createEngine(
  worker: boolean | undefined,
  modelBytes: Promise<number | undefined> = Promise.resolve(undefined),
): Promise<Created> {
  if (typeof WebAssembly === 'undefined') throw new OnnxError('unsupported_platform', 'there is no WebAssembly here');
  const settings = wasmSettings();
  const choice = workerForThreads(settings, worker);
  if (choice && ((await modelBytes) ?? 0) <= kSmallBytes) {
    const { startSmall } = await import('./moving_engine.js');
    return startSmall(choice, settings, startFrom, startTested);
  }
  return inTime(startBest(settings, worker), settings.timeout);
}

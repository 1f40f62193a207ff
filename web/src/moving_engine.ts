// An engine that starts in the page, with one thread, and moves where runs are worth it: small ones get threads that the
// page itself waits for, as a worker would cost every run two messages; longer ones, which would hold the page up, go
// into a worker with its threads.
import { type Created, kSmallBytes, type SessionInfo, type Start } from './create_engine.js';
import type { LoadOptions, LocalEngine, SessionEngine } from './engine.js';
import { messageOf } from './errors.js';
import type { External } from './external.js';
import { inTime } from './module.js';
import type { Loaded, MemoryUse, RunRequest, RunResult } from './native.js';
import { type Choice, chooseVariant } from './variants.js';
import type { WasmSettings } from './wasm_settings.js';

// A run with more multiply-adds moves before it starts, or after kTrials runs of which each took longer.
const kMost = {
  /** With one thread: below, threads save less than waking them costs. */
  alone: { macs: 5e6, milliseconds: 0.3 },
  /** In the page: it does nothing else meanwhile. */
  here: { macs: 60e6, milliseconds: 4 },
};
const kTrials = 3;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Load {
  readonly options: LoadOptions;
  readonly external: External;
  readonly modelPath: string | undefined;
}

export class MovingEngine implements SessionEngine {
  /** What one engine holds, the next would not have. */
  readonly holds = false;
  private readonly info: Mutable<SessionInfo>;
  private current: SessionEngine;
  /** The engine in the page and the model's bytes, until it is decided. */
  private trial: { here: LocalEngine; bytes: Uint8Array[]; size: number; runs: number; fastest: number } | undefined;
  private loaded: Load | undefined;
  private codecs: WebAssembly.Module | undefined;

  /** @param here with its `info`, which this changes; @param start the engine with threads, in a worker or in the page */
  constructor(
    here: LocalEngine,
    info: SessionInfo,
    private readonly start: (worker: boolean) => Promise<Created>,
  ) {
    this.current = here;
    this.info = info;
    this.trial = { here, bytes: [], size: 0, runs: 0, fastest: Number.POSITIVE_INFINITY };
  }

  async append(bytes: Uint8Array): Promise<void> {
    const { trial } = this;
    if (!trial) return this.current.append(bytes);
    const copy = bytes.slice();
    trial.bytes.push(copy);
    trial.size += copy.length;
    trial.here.append(copy);
    if (trial.size > kSmallBytes) await this.move(true, 'its file is large');
  }

  async load(options: LoadOptions, external: External, modelPath: string | undefined): Promise<Loaded> {
    if (external.files.length > 0) await this.move(true, 'its weights are in other files');
    const loaded = await this.current.load(options, external, modelPath);
    this.loaded = { options, external, modelPath };
    if (this.trial) await this.moveFor('macs', this.trial.here.macs());
    return loaded;
  }

  useCodecs(module: WebAssembly.Module): Promise<void> {
    this.codecs = module;
    return this.current.useCodecs(module);
  }

  async run(request: RunRequest, signal: AbortSignal | undefined): Promise<RunResult> {
    await this.decide(request);
    const { trial } = this;
    if (!trial) return this.current.run(request, signal);
    const start = performance.now();
    const result = await trial.here.run(request, signal);
    trial.fastest = Math.min(trial.fastest, performance.now() - start);
    trial.runs++;
    return result;
  }

  memory(): MemoryUse {
    return this.current.memory();
  }

  macs(): number {
    return this.current.macs();
  }

  release(lost: boolean): void | Promise<void> {
    this.trial = undefined;
    return this.current.release(lost);
  }

  private async decide(request: RunRequest): Promise<void> {
    const { trial } = this;
    if (!trial) return;
    if (trial.runs < kTrials) {
      let macs = 0;
      try {
        macs = trial.here.macsOf(request);
      } catch {
        // The run will say it, with its feeds.
      }
      await this.moveFor('macs', macs);
    } else if (!(await this.moveFor('milliseconds', trial.fastest))) {
      this.info.why += `, and a run takes ${trial.fastest.toFixed(2)} ms`;
      this.trial = undefined;
    }
  }

  /** Does a run of that many move? */
  private async moveFor(measure: 'macs' | 'milliseconds', amount: number): Promise<boolean> {
    if (amount <= kMost.alone[measure]) return false;
    const what = measure === 'macs' ? `${(amount / 1e6).toFixed(0)} million multiply-adds` : `${amount.toFixed(1)} ms`;
    await this.move(amount > kMost.here[measure], `a run takes ${what}`);
    return true;
  }

  /** Where nothing starts, all stays as it is, and `info` says why. */
  private async move(worker: boolean, reason: string): Promise<void> {
    const { trial, loaded } = this;
    if (!trial) return;
    this.trial = undefined;
    let there: Created | undefined;
    try {
      there = await this.start(worker);
      const { engine } = there;
      for (const piece of trial.bytes) await engine.append(piece);
      if (loaded) await engine.load(loaded.options, loaded.external, loaded.modelPath);
      if (this.codecs) await engine.useCodecs(this.codecs);
    } catch (error) {
      await there?.engine.release(true);
      this.info.why += `, and because ${messageOf(error)}`;
      return;
    }
    this.current = there.engine;
    Object.assign(this.info, there.info, {
      why: `${there.info.why}; ${worker ? 'in a worker' : 'in the page'}: ${reason}`,
    });
    trial.here.release(false);
  }
}

/** The engine in the page for a model that may move to what `choice` says. */
export async function startSmall(
  choice: Choice,
  settings: WasmSettings,
  startFrom: Start,
  startTested: Start,
): Promise<Created> {
  const { variant } = chooseVariant({ threads: 1, simd: settings.simd, worker: false, given: undefined });
  const why = `${variant.name}: one thread in the page, of ${choice.threads}`;
  const here = await inTime(startFrom({ variant, threads: 1, worker: false, why }, settings), settings.timeout);
  const away = (worker: boolean) => inTime(startTested({ ...choice, worker }, settings), settings.timeout);
  return { engine: new MovingEngine(here.engine as LocalEngine, here.info, away), info: here.info };
}

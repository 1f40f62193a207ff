// sardonyx bench: how long a run takes, alone or in turn with onnxruntime-web in the same process.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { env, type Tensor } from '../index.js';
import { Failure, kExit, usage } from './failure.js';
import { type Feeds, type InputOptions, makeFeeds, noteAssumed } from './inputs.js';
import { sessionOf, withModel } from './model.js';
import { type Common, milliseconds, print, printJson, shapeText, table } from './output.js';
import { progress } from './progress.js';

export interface BenchOptions extends Common, InputOptions {
  readonly vs?: string;
  readonly runs: number;
  readonly threads: number;
}

interface Contestant {
  readonly runtime: string;
  readonly version: string;
  readonly threads: number;
  readonly variant?: string;
  run(): Promise<unknown>;
  release(): Promise<void>;
}

// As much of onnxruntime-web as is used.
interface Peer {
  readonly env: { wasm: { numThreads?: number }; logLevel?: string; versions: { web?: string } };
  readonly InferenceSession: {
    create(
      model: Uint8Array,
      options: object,
    ): Promise<{ run(feeds: object): Promise<unknown>; release(): Promise<void> }>;
  };
  readonly Tensor: new (type: string, data: unknown, dims: readonly number[]) => unknown;
}

const kPeer = 'onnxruntime-web';

/** onnxruntime-web as the project in the working folder has it. @throws Failure that says how to install it */
async function peer(): Promise<Peer> {
  let path: string;
  try {
    path = createRequire(join(process.cwd(), 'package.json')).resolve(kPeer);
  } catch {
    const how = `install it there with: npm install ${kPeer}`;
    throw new Failure(
      'load_failed',
      `${kPeer} is not installed in the project of ${process.cwd()}; ${how}`,
      kExit.load,
    );
  }
  const module = (await import(pathToFileURL(path).href)) as Peer & { default?: Peer };
  return module.InferenceSession ? module : (module.default as Peer);
}

async function peerContestant(model: string, feeds: Feeds['feeds'], threads: number): Promise<Contestant> {
  const ort = await peer();
  ort.env.wasm.numThreads = threads;
  ort.env.logLevel = 'error';
  const failing = (what: string) => (error: unknown) => {
    throw new Failure('peer_failed', `${kPeer} does not ${what} ${model}: ${(error as Error).message}`, kExit.run);
  };
  const load = async (): Promise<Contestant> => {
    const options = { executionProviders: ['wasm'] };
    const session = await ort.InferenceSession.create(await readFile(model), options);
    const theirs = Object.entries(feeds).map(([name, { type, data, dims }]) => [
      name,
      new ort.Tensor(type, data, dims),
    ]);
    const run = () => session.run(Object.fromEntries(theirs)).catch(failing('run'));
    const version = ort.env.versions.web ?? '';
    return { runtime: kPeer, version, threads: ort.env.wasm.numThreads ?? 1, run, release: () => session.release() };
  };
  return load().catch(failing('load'));
}

function quantile(sorted: readonly number[], q: number): number {
  const at = q * (sorted.length - 1);
  const low = sorted[Math.floor(at)] as number;
  return low + ((sorted[Math.ceil(at)] as number) - low) * (at - Math.floor(at));
}

/** Median, quartiles and extremes. */
export function spreadOf(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  const [min, lower, median, upper, max] = [0, 0.25, 0.5, 0.75, 1].map((q) => quantile(sorted, q)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { median, lower, upper, min, max };
}

/** Runs all in turn, A B A B, after two runs each that do not count. */
async function measured(contestants: readonly Contestant[], runs: number, quiet: boolean): Promise<number[][]> {
  const times = contestants.map((): number[] => []);
  const kWarm = 2;
  const bar = progress('measuring', runs + kWarm, quiet);
  try {
    for (let i = 0; i < runs + kWarm; i++) {
      for (const [side, contestant] of contestants.entries()) {
        const begin = performance.now();
        await contestant.run();
        if (i >= kWarm) times[side]?.push(performance.now() - begin);
      }
      bar.to(i + 1);
    }
  } finally {
    bar.end();
  }
  return times;
}

function report(contestants: readonly Contestant[], times: readonly number[][]) {
  const rows = contestants.map(({ run: _, release: __, ...about }, i) => ({
    ...about,
    ms: spreadOf(times[i] as number[]),
  }));
  const [ours, theirs] = times;
  // Only what was measured side by side is set against each other: the speed of a machine drifts.
  const ratio = theirs && spreadOf(theirs.map((time, i) => time / (ours?.[i] as number)));
  return { rows, ratio };
}

export async function benchCommand(path: string, options: BenchOptions): Promise<void> {
  const { vs, runs, threads } = options;
  if (vs !== undefined && vs !== kPeer) throw usage(`--vs ${vs}: there is only ${kPeer} to compare with`);
  const quiet = options.json === true;
  await withModel(path, { threads, quiet, dim: options.dim }, async (model) => {
    const made = await makeFeeds(model.session, { ...options, dim: model.dim });
    noteAssumed(made);
    const run = () => model.session.run(made.feeds as Record<string, Tensor>);
    const release = async () => {};
    const version = env.versions.sardonyx;
    const contestants: Contestant[] = [{ runtime: 'sardonyx', version, ...sessionOf(model), run, release }];
    if (vs) contestants.push(await peerContestant(path, made.feeds, threads));
    const { rows, ratio } = report(contestants, await measured(contestants, runs, quiet));
    await contestants[1]?.release();
    const { inputs, assumed } = made;
    if (options.json) {
      printJson({ model: path, runs, inputs, assumed, results: rows, ...(ratio ? { timesFaster: ratio } : {}) });
      return;
    }
    for (const { name, type, dims } of inputs) print(`${name}: ${shapeText(type, dims)}`);
    const lines = rows.map(({ runtime, version, threads, ms }) => [
      `${runtime} ${version}`,
      threads,
      milliseconds(ms.median),
      `${milliseconds(ms.lower)} to ${milliseconds(ms.upper)}`,
      milliseconds(ms.min),
    ]);
    print(table([['', 'threads', 'median', 'middle half', 'least'], ...lines], ''));
    if (!ratio) return;
    const [median, lower, upper] = [ratio.median, ratio.lower, ratio.upper].map((x) => x.toFixed(2));
    print(`sardonyx is ${median} times as fast (middle half ${lower} to ${upper}), over ${runs} runs in turn`);
  });
}

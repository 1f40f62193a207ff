// One runtime with one model in a process or page of its own: created once, then run when the other side says so.
import { peakLoop } from './peak.mjs';
import { loadRuntime, samplesOf } from './runtimes.mjs';
import { watchWasmMemories } from './wasm_memory.mjs';

const kPeakIterations = 60_000; // about 0.2 ms

let wasmBytes;
let session;
let peak;

const now = () => performance.now();

/** The wasm heaps in bytes; those in a worker are not seen from here, but the session knows its own. */
function heapBytes() {
  return Math.max(wasmBytes(), session.memory()?.heap ?? 0);
}

/**
 * Loads the runtime and the model and runs it once; times in ms, heaps in bytes. To be called once, first.
 * @param {{runtime: string, variant: string, threads: number, location?: string, model: string, feeds: object[]}} spec
 */
export async function start(spec) {
  wasmBytes = watchWasmMemories();
  const begin = now();
  const runtime = await loadRuntime(spec);
  const loaded = now();
  session = await runtime.create(spec.model, spec.feeds);
  const created = now();
  const heapAfterLoad = heapBytes();
  const before = now();
  const results = await session.run();
  const firstRun = now() - before;
  return {
    ...session.details(),
    heapAfterLoad,
    importMs: loaded - begin,
    createMs: created - loaded,
    firstRunMs: firstRun,
    macs: session.macs(),
    samples: samplesOf(results),
  };
}

/** Runs until `least` runs and `ms` are over; the ms that the last one took. */
export async function warmUp(ms, least) {
  const begin = now();
  let last = 0;
  for (let runs = 0; runs < least || now() - begin < ms; runs++) {
    const start = now();
    await session.run();
    last = now() - start;
  }
  return last;
}

/** The mean ms of `count` runs, one after the other. */
export async function measure(count) {
  const begin = now();
  for (let i = 0; i < count; i++) await session.run();
  return (now() - begin) / count;
}

/** GFLOP/s of a loop of multiply-adds in registers, here and now: the best of `tries`. */
export async function measurePeak(relaxed, tries) {
  peak ??= await peakLoop(relaxed);
  let best = 0;
  for (let i = 0; i < tries; i++) best = Math.max(best, peak(kPeakIterations));
  return best;
}

/** Milliseconds by operator type of a profiled run: [type, ms, nodes], the largest first; undefined: it has no profile. */
async function profileByType() {
  const entries = await session.profile();
  if (!entries) return undefined;
  const types = new Map();
  for (const { opType, duration, depth } of entries) {
    if (depth > 0) continue; // they are in the time of the node that ran them
    const [ms, nodes] = types.get(opType) ?? [0, 0];
    types.set(opType, [ms + duration, nodes + 1]);
  }
  return [...types].map(([type, [ms, nodes]]) => [type, ms, nodes]).sort((a, b) => b[1] - a[1]);
}

/**
 * What is known at the end: how the session runs, which its first runs may change; bytes of the wasm heaps, of the whole
 * process where it can be told, and the profile.
 */
export async function finish() {
  const heapPeak = heapBytes();
  const { resourceUsage } = globalThis.process ?? {};
  const processPeak = resourceUsage ? resourceUsage().maxRSS * 1024 : undefined;
  return { ...session.details(), heapPeak, processPeak, memory: session.memory(), profile: await profileByType() };
}

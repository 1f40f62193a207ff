// One comparison: a model in one environment, each contestant in a process or page of its own, measured in turn.
import { statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { disagreement, median, pairedRatio, spread } from './statistics.mjs';

const kWarmUp = 500; // ms: the engine's first tier is left behind
const kStretch = 40; // ms: a measurement repeats a run until it is about that long
const kSettle = 10; // ms: threads that wait in a loop for more work give up before the next contestant has its turn
const kPeakTries = 8;
const kNotAlike = 1e9; // in JSON there is no infinity

/** ms per run while warming up -> how many runs make one measurement. */
export function runsPerMeasurement(ms) {
  return Math.max(1, Math.min(20_000, Math.round(kStretch / ms)));
}

async function begin(host, contestant, spec) {
  const handle = await host.start();
  try {
    const { location } = contestant;
    const more = location ? { location: host.location(location) } : {};
    return { ...contestant, handle, started: await handle.call('start', { ...spec, ...contestant, ...more }) };
  } catch (error) {
    await handle.end();
    throw new Error(`${contestant.runtime}: ${error.message}`);
  }
}

/** The last of two looks: the first may still come from a lower tier of the engine. */
async function countFor({ handle }) {
  const first = await handle.call('warmUp', kWarmUp, 2);
  if (first > 1000) return 1;
  return runsPerMeasurement(await handle.call('measure', runsPerMeasurement(first)));
}

async function rounds(contestants, pairs, relaxed) {
  const counts = [];
  for (const contestant of contestants) counts.push(await countFor(contestant));
  const times = contestants.map(() => []);
  const peaks = [];
  const threaded = contestants.some(({ threads }) => threads > 1);
  for (let pair = 0; pair < pairs; pair++) {
    for (const [i, { handle }] of contestants.entries()) {
      if (threaded) await sleep(kSettle);
      times[i].push(await handle.call('measure', counts[i]));
    }
    peaks.push(await contestants[0].handle.call('measurePeak', relaxed, kPeakTries));
  }
  return { counts, times, peaks };
}

function entry({ runtime, threads, label, started }, times, runs, finished) {
  const { samples, macs, ...facts } = started;
  return { runtime, label, ...facts, asked: { threads }, runs, times, ms: spread(times), ...finished };
}

/**
 * Measures a group and ends its contestants. The first contestant is the one whose ratios are given: how many times faster
 * it is than each of the others.
 * @param {object} host as bench/hosts.mjs gives it
 * @param {{model: object, feeds: object[], path: string, variant: string, threads: number, contestants: object[]}} group
 *   contestants: {runtime, label, variant, threads, location?, peer?}; the group goes on without a peer that fails
 * @returns {Promise<object>} what the JSON holds of a run; see results.mjs
 */
export async function measureGroup(host, group, pairs) {
  const { model, feeds, path, variant, threads } = group;
  const contestants = [];
  const missing = [];
  try {
    for (const contestant of group.contestants) {
      try {
        contestants.push(await begin(host, contestant, { model: host.model(path), feeds }));
      } catch (error) {
        if (!contestant.peer) throw error;
        missing.push(error.message);
      }
    }
    const { counts, times, peaks } = await rounds(contestants, pairs, variant === 'relaxed');
    const entries = [];
    for (const [i, contestant] of contestants.entries()) {
      entries.push(entry(contestant, times[i], counts[i], await contestant.handle.call('finish')));
    }
    const [{ started }] = contestants;
    const others = contestants.slice(1).map((other, i) => ({
      against: other.label,
      ...pairedRatio(times[0], times[i + 1]),
      difference: Math.min(disagreement(started.samples, other.started.samples), kNotAlike),
    }));
    const gflops = started.macs && (2 * started.macs) / entries[0].ms.median / 1e6;
    const peak = median(peaks);
    const speed = gflops ? { macs: started.macs, gflops, peak, share: gflops / peak / threads } : { peak };
    const fileBytes = statSync(path).size;
    const what = { model: model.name, group: model.group, input: model.input, fileBytes, variant, threads };
    return { ...what, load: loadavg()[0], ratios: others, speed, entries, missing };
  } finally {
    for (const { handle } of contestants) await handle.end();
  }
}

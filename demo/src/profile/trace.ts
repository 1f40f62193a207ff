// A profile as Chrome's tracing and Perfetto read it.
import type { ProfileEntry } from 'sardonyx';

/** Times in microseconds, an event that holds others before them. */
export function chromeTraceOf(profile: readonly ProfileEntry[]): object {
  const traceEvents = profile
    .map(({ node, opType, start, duration, shapes }) => ({
      name: opType,
      cat: 'node',
      ph: 'X',
      ts: start * 1000,
      dur: duration * 1000,
      pid: 1,
      tid: 1,
      args: { node, inputs: shapes },
    }))
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  return { traceEvents, displayTimeUnit: 'ms' };
}

// Profiles in the form that Chrome's tracing, Perfetto and speedscope read.
import type { ProfileEntry } from './native.js';

/** One complete event of the Trace Event Format; times in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly ph: 'X';
  readonly ts: number;
  readonly dur: number;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly node: string; readonly inputs: string };
}

export interface ChromeTrace {
  readonly traceEvents: readonly TraceEvent[];
  readonly displayTimeUnit: 'ms';
}

/** What session.profile() gave, for chrome://tracing or ui.perfetto.dev: save it with JSON.stringify(). */
export function chromeTrace(profile: readonly ProfileEntry[]): ChromeTrace {
  const traceEvents = profile.map(({ node, opType, start, duration, shapes }) => ({
    name: opType,
    cat: 'node',
    ph: 'X' as const,
    ts: start * 1000,
    dur: duration * 1000,
    pid: 1,
    tid: 1,
    args: { node, inputs: shapes },
  }));
  // An event that holds others stands before them.
  traceEvents.sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  return { traceEvents, displayTimeUnit: 'ms' };
}

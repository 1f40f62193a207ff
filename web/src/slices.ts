// Runs of an engine, in slices where someone may abort.
import { checkAborted, OnnxError } from './errors.js';
import { late } from './late.js';
import type { Mailbox } from './mailbox.js';
import { call, type Engine, type Instance, type RunRequest, type RunResult } from './native.js';

/** How long nodes run before others get a turn: less than a frame of 60 per second. */
const kSliceMilliseconds = 12;

/** Gives everything else that waits for this thread a turn: a click that aborts, a timer, a frame. */
export function breath(): Promise<void> {
  return new Promise((resolve) => {
    const { setImmediate } = globalThis as { setImmediate?: (done: () => void) => void };
    if (setImmediate) return setImmediate(resolve);
    if (typeof MessageChannel === 'undefined') return setTimeout(resolve, 0);
    // Timers would wait for 4 ms each.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
    return undefined;
  });
}

/** What a failed run throws: where a node failed, it says with which feeds. */
function failureOf(error: unknown, mailbox: Mailbox, { feeds }: RunRequest): unknown {
  if (!(error instanceof OnnxError) || error.node === undefined || error.code === 'aborted') return error;
  return late('run_error', () => import('./run_error.js')).then(
    ({ withFeeds }) => withFeeds(error, feeds, mailbox.loaded.inputs),
    () => error,
  );
}

/** Begins a run: in the mailbox where its values fit. Says whether they do. @throws OnnxError: no run has begun then */
export function begin(instance: Instance, engine: Engine, mailbox: Mailbox, request: RunRequest): boolean {
  const fits = mailbox.fits(request);
  call(() => (fits ? mailbox.begin(request) : instance.begin(engine, request)));
  return fits;
}

/**
 * Runs all nodes: at once, or with a signal in slices. What the engine reports, or an abort, is thrown, and the run is
 * over then.
 */
export async function execute(
  instance: Instance,
  engine: Engine,
  mailbox: Mailbox,
  request: RunRequest,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  checkAborted(signal);
  try {
    const fits = begin(instance, engine, mailbox, request);
    while (!call(() => mailbox.advance(signal ? kSliceMilliseconds : Number.POSITIVE_INFINITY))) {
      await breath();
      checkAborted(signal);
    }
    return call(() => (fits ? mailbox.finish(request) : instance.finish(engine, request.targets)));
  } catch (error) {
    // Nothing more is asked of an instance that has trapped.
    if (!(error instanceof OnnxError && error.code === 'instance_lost')) call(() => mailbox.cancel());
    checkAborted(signal);
    throw await failureOf(error, mailbox, request);
  }
}

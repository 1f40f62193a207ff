// Runs of an engine, in slices where someone may abort.
import { dtypeName } from './dtypes.js';
import { checkAborted, OnnxError } from './errors.js';
import type { Mailbox } from './mailbox.js';
import {
  call,
  type Engine,
  type Failure,
  type Instance,
  type NativeValue,
  type RunRequest,
  type RunResult,
} from './native.js';
import type { Tensor } from './tensor.js';
import { fromNative } from './values.js';

/** How long nodes run before others get a turn: less than a frame of 60 per second. */
const kSliceMilliseconds = 12;
/** Of a run, in messages. */
const kMostFeeds = 8;

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

// Types and shapes; scalars, which often are settings, with their value.
function feedText(feed: NativeValue): string {
  if (feed === null) return 'nothing';
  if ('items' in feed) return 'a sequence';
  if ('keys' in feed) return 'a map';
  const { dtype, dims } = feed;
  const value =
    dims.length === 0 && 'data' in feed && feed.data.length > 0
      ? ` ${String((fromNative(feed) as Tensor).data[0])}`
      : '';
  return `${dtypeName(dtype)}[${dims.join(', ')}]${value}`;
}

function feedsText(feeds: readonly NativeValue[], { loaded }: Mailbox): string {
  const texts = feeds.slice(0, kMostFeeds).map((feed, i) => `"${loaded.inputs[i]?.name}" ${feedText(feed)}`);
  return texts.join(', ') || 'no inputs';
}

/**
 * A step of a run. Where a node fails, the error says with which feeds; and what the node blames on the model is the
 * feeds' fault, since with others it may run.
 */
function step<T>(mailbox: Mailbox, { feeds }: RunRequest, body: () => T | Failure): T {
  try {
    return call(body);
  } catch (error) {
    if (!(error instanceof OnnxError) || error.node === undefined || error.code === 'aborted') throw error;
    const code = error.code === 'invalid_model' ? 'invalid_input' : error.code;
    throw new OnnxError(code, `${error.message}; the run was given ${feedsText(feeds, mailbox)}`, error);
  }
}

/** Begins a run: in the mailbox where its values fit. Says whether they do. @throws OnnxError: no run has begun then */
export function begin(instance: Instance, engine: Engine, mailbox: Mailbox, request: RunRequest): boolean {
  const fits = mailbox.fits(request);
  step(mailbox, request, () => (fits ? mailbox.begin(request) : instance.begin(engine, request)));
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
    while (!step(mailbox, request, () => mailbox.advance(signal ? kSliceMilliseconds : Number.POSITIVE_INFINITY))) {
      await breath();
      checkAborted(signal);
    }
    return call(() => (fits ? mailbox.finish(request) : instance.finish(engine, request.targets)));
  } catch (error) {
    // Nothing more is asked of an instance that has trapped.
    if (!(error instanceof OnnxError && error.code === 'instance_lost')) call(() => mailbox.cancel());
    checkAborted(signal);
    throw error;
  }
}

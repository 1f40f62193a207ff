// One run of an engine: feeds by name or position to its inputs, nodes in slices where someone may abort, results.
import { checkAborted, invalidInput, OnnxError, shown } from './errors.js';
import { call, type Engine, type NativePort, type NativeValue, type RunRequest, type RunResult } from './native.js';
import { unknownName } from './session_arguments.js';
import { isTensorLike, toNative, typeText } from './values.js';

/** How long nodes run before others get a turn: less than a frame of 60 per second. */
const kSliceMilliseconds = 12;

/** One value per input, in the engine's order. @throws OnnxError (invalid_input) */
export function feedsOf(feeds: unknown, inputs: readonly NativePort[], listed: readonly string[]): NativeValue[] {
  const given = byName(feeds, listed);
  const known = inputs.map((port) => port.name);
  const wrong = Object.keys(given).find((name) => given[name] !== undefined && !known.includes(name));
  if (wrong !== undefined) throw unknownName('input', wrong, known);
  return inputs.map((port) => {
    const value = Object.hasOwn(given, port.name) || port.name in given ? given[port.name] : undefined;
    if ((value === undefined || value === null) && !port.optional) {
      throw invalidInput(`the input "${port.name}" (${typeText(port)}) is missing in 'feeds'`);
    }
    return toNative(value, port, `input "${port.name}"`);
  });
}

/** run({a, b}), run([a, b]) and run(a). */
function byName(feeds: unknown, listed: readonly string[]): Record<string, unknown> {
  if (typeof feeds !== 'object' || feeds === null) {
    throw invalidInput(`'feeds' must be an object of values by the names of the inputs, not ${shown(feeds)}`);
  }
  const list = Array.isArray(feeds) ? feeds : isTensorLike(feeds) && !listed.includes('data') ? [feeds] : undefined;
  if (!list) return feeds as Record<string, unknown>;
  if (list.length > listed.length) {
    const names = listed.map((name) => `"${name}"`).join(', ');
    throw invalidInput(`${list.length} values are given for ${listed.length} inputs: ${names || 'none'}`);
  }
  return Object.fromEntries(list.map((value, i) => [listed[i], value]));
}

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

/**
 * Runs all nodes: at once, or with a signal in slices. What the engine reports, or an abort, is thrown, and the run is
 * over then.
 */
export async function execute(
  engine: Engine,
  request: RunRequest,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  checkAborted(signal);
  try {
    call(() => engine.begin(request));
    while (!call(() => engine.advance(signal ? kSliceMilliseconds : Number.POSITIVE_INFINITY))) {
      await breath();
      checkAborted(signal);
    }
    return call(() => engine.finish());
  } catch (error) {
    // Nothing more is asked of an instance that has trapped.
    if (!(error instanceof OnnxError && error.code === 'instance_lost')) call(() => engine.cancel());
    checkAborted(signal);
    throw error;
  }
}

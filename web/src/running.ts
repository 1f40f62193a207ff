// What run() is called with, as the engine takes it.

import type { SessionEngine } from './engine.js';
import { invalidInput, OnnxError, shown } from './errors.js';
import type { NativePort, NativeValue, RunRequest } from './native.js';
import { type Fetches, unknownName } from './session_arguments.js';
import { isTensorLike, targetOf, toNative, typeText } from './values.js';

/** One value per input, in the engine's order. @throws OnnxError (invalid_input) */
function feedsOf(
  feeds: unknown,
  inputs: readonly NativePort[],
  listed: readonly string[],
  engine: unknown,
): NativeValue[] {
  const given = byName(feeds, listed);
  const known = inputs.map((port) => port.name);
  const wrong = Object.keys(given).find((name) => given[name] !== undefined && !known.includes(name));
  if (wrong !== undefined) throw unknownName('input', wrong, known);
  return inputs.map((port) => {
    const value = given[port.name];
    if ((value === undefined || value === null) && !port.optional) {
      throw invalidInput(`the input "${port.name}" (${typeText(port)}) is missing in 'feeds'`);
    }
    return toNative(value, port, `input "${port.name}"`, engine);
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

/** @param pinned shall an output stay in the heap? @throws OnnxError (invalid_input, aborted) */
export function requestOf(
  engine: SessionEngine,
  feeds: unknown,
  { names, targets, options }: Fetches,
  { inputNames, outputNames }: Readonly<Record<'inputNames' | 'outputNames', readonly string[]>>,
  inputs: readonly NativePort[],
  pinned: (output: string) => boolean,
  profile: boolean,
): RunRequest {
  if (options.terminate) throw new OnnxError('aborted', "'terminate' is true in the options");
  return {
    feeds: feedsOf(feeds, inputs, inputNames, engine),
    wanted: names.map((name) => outputNames.indexOf(name)),
    targets: (targets ?? []).map((t, i) => (t == null ? null : targetOf(t, `the fetch "${names[i]}"`, engine))),
    hold: names.map((name, i) => engine.holds && targets?.[i] == null && pinned(name)),
    profile: options.profile ?? profile,
    transfer: options.transfer === true,
  };
}

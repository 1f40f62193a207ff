// The overloads of create() and run(), told apart.
import { invalidArgument, invalidInput, shown } from './errors.js';
import { isRunOption, type RunOptions, runOptionsOf } from './options.js';
import { Tensor } from './tensor.js';
import { isTensorLike } from './values.js';

function isBuffer(value: unknown): value is ArrayBufferLike {
  return (
    value instanceof ArrayBuffer || (typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer)
  );
}

/** create(model, options?) and create(buffer, byteOffset, byteLength?, options?). */
export function createArguments(model: unknown, rest: readonly unknown[]): { source: unknown; options: unknown } {
  if (typeof rest[0] !== 'number') return { source: model, options: rest[0] };
  if (!isBuffer(model)) throw invalidArgument('only an ArrayBuffer can be followed by a byteOffset');
  const [byteOffset, second, third] = rest;
  if (!Number.isSafeInteger(byteOffset) || byteOffset < 0 || byteOffset >= model.byteLength) {
    throw invalidArgument(`byteOffset ${shown(byteOffset)} is out of range [0, ${model.byteLength})`);
  }
  const most = model.byteLength - byteOffset;
  if (second === undefined || (typeof second === 'object' && second !== null)) {
    return { source: new Uint8Array(model, byteOffset), options: second ?? third };
  }
  if (typeof second !== 'number') throw invalidArgument(`'byteLength' must be a number, not ${shown(second)}`);
  if (!Number.isSafeInteger(second) || second <= 0 || second > most) {
    throw invalidArgument(`byteLength ${second} is out of range (0, ${most}]`);
  }
  return { source: new Uint8Array(model, byteOffset, second), options: third };
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ') || 'none';

export function unknownName(kind: 'input' | 'output', name: string, known: readonly string[]): Error {
  return invalidInput(`the model has no ${kind} "${name}"; its ${kind}s: ${quoted(known)}`);
}

export interface Fetches {
  readonly names: readonly string[];
  /** Per name a tensor to write into, or null; undefined: none for any. */
  readonly targets: readonly unknown[] | undefined;
  readonly options: RunOptions;
}

/**
 * run(feeds, options?) and run(feeds, fetches, options?): an object is fetches if it names an output, with a tensor, null or
 * what is no option either.
 */
export function fetchesOf(first: unknown, second: unknown, outputNames: readonly string[]): Fetches {
  const all = { names: outputNames, targets: undefined };
  if (first === undefined) return { ...all, options: runOptionsOf(second) };
  if (typeof first !== 'object' || first === null || first instanceof Tensor) {
    throw invalidArgument(
      "the second argument of run() is a list or an object of output names ('fetches'), or options",
    );
  }
  if (Array.isArray(first)) {
    if (first.length === 0) throw invalidArgument("'fetches' is an empty list");
    for (const name of first) {
      if (typeof name !== 'string') throw invalidArgument("'fetches' must be a list of output names");
      if (!outputNames.includes(name)) throw unknownName('output', name, outputNames);
    }
    return { names: first, targets: undefined, options: runOptionsOf(second) };
  }
  const known = outputNames.filter((name) => {
    if (!Object.hasOwn(first, name)) return false;
    const value = (first as Record<string, unknown>)[name];
    return value === null || isTensorLike(value) || !(value === undefined || isRunOption(name));
  });
  if (known.length === 0) {
    const wrong = Object.entries(first).find(([, value]) => value === null || value instanceof Tensor);
    if (wrong) throw unknownName('output', wrong[0], outputNames);
    return { ...all, options: runOptionsOf(second ?? first) };
  }
  const wrong = Object.keys(first).find((name) => !outputNames.includes(name));
  if (wrong !== undefined) throw unknownName('output', wrong, outputNames);
  const targets = known.map((name) => (first as Record<string, unknown>)[name]);
  return { names: known, targets, options: runOptionsOf(second) };
}

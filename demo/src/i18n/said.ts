// Errors of a worker as the page says them: in its own words, of which the worker knows the key, or in those of the
// engine and its tools, which are English.
import type { Key, Values } from './index.js';

export class Said extends Error {
  readonly key: Key;
  readonly values: Values;

  constructor(key: Key, values: Values = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/** An OnnxError's parts; without a code it is an error of the browser. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly node?: string;
  readonly opType?: string;
}

/** An error as a worker answers it; `key` where the page has words for it. */
export interface Spoken {
  readonly error: Failure;
  readonly key?: Key;
  readonly values?: Values;
}

export function spoken(error: unknown): Spoken {
  const { message, code, node, opType } = error as Error & Failure;
  return error instanceof Said
    ? { error: { message }, key: error.key, values: error.values }
    : { error: { message, code, node, opType } };
}

/** An error of the engine or its tools, with its place in the model; `code` 'aborted' after a cancel. */
export class EngineError extends Error implements Failure {
  readonly code: string | undefined;
  readonly node: string | undefined;
  readonly opType: string | undefined;

  constructor({ message, code, node, opType }: Failure) {
    super(message);
    this.code = code;
    this.node = node;
    this.opType = opType;
  }
}

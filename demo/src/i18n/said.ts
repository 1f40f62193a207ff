// Errors of a worker that the page says in its own language: workers know the key, the page the words.
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

/** An error as a worker answers it; `key` where the page has words for it. */
export interface Spoken {
  readonly error: string;
  readonly key?: Key;
  readonly values?: Values;
}

export const spoken = (error: unknown): Spoken =>
  error instanceof Said
    ? { error: error.key, key: error.key, values: error.values }
    : { error: (error as Error).message };

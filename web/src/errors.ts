// The one error of the package, and how failures of the engine and of WebAssembly become it.

export type OnnxErrorCode =
  /** The bytes are no model, or the model breaks the standard. */
  | 'invalid_model'
  /** An operator, a version of it, or a function that is not implemented. */
  | 'unsupported_operator'
  /** A feed or a fetch that does not fit the model, or with whose shape or value a node cannot run: `node` names it then. */
  | 'invalid_input'
  /** An option or a call that makes no sense. */
  | 'invalid_argument'
  /** The message says how much memory was asked for. */
  | 'out_of_memory'
  /** The caller's AbortSignal; its reason is the `cause`. */
  | 'aborted'
  /** Data that an operator cannot work on. */
  | 'runtime_error'
  /** A file or URL cannot be read, or a model's external data is missing: the message names it, and the HTTP status if there is one. */
  | 'load_failed'
  /** This JavaScript engine, or this page's security policy, cannot run the WebAssembly module. */
  | 'unsupported_platform'
  /** WebAssembly trapped: the session is lost, others are not. */
  | 'instance_lost';

export interface OnnxErrorDetails {
  /** Name of the node to blame, or of its first output. */
  readonly node?: string | undefined;
  /** Its operator, by ONNX's name. */
  readonly opType?: string | undefined;
  readonly cause?: unknown;
}

/** What every rejected promise of this package carries. */
export class OnnxError extends Error {
  override readonly name: string = 'OnnxError';
  readonly code: OnnxErrorCode;
  readonly node: string | undefined;
  readonly opType: string | undefined;

  constructor(code: OnnxErrorCode, message: string, details: OnnxErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.node = details.node || undefined;
    this.opType = details.opType || undefined;
  }
}

export function invalidArgument(message: string): OnnxError {
  return new OnnxError('invalid_argument', message);
}

export function invalidInput(message: string): OnnxError {
  return new OnnxError('invalid_input', message);
}

/** What was thrown, in words; for things that refuse to be looked at, too. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'something that cannot be shown was thrown';
  }
}

/** With its article: an int64, a uint8, an ArrayBuffer. */
export const withArticle = (name: string): string => `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`;

/** A value in a few words, for messages: `"abc"`, `-1`, `an array`, `a Map`. Never throws, whatever it is. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}...` : value);
  if (typeof value === 'function') return 'a function';
  try {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value !== 'object' || value === null) return String(value);
    if (Array.isArray(value)) return 'an array';
    const { name } = value.constructor;
    return typeof name === 'string' && name !== 'Object' && name !== '' ? withArticle(name) : 'an object';
  } catch {
    return 'an object';
  }
}

/**
 * The border of the public functions: what an argument threw while it was read (a getter, a proxy, a callback of the
 * caller) or a platform's own error becomes OnnxError (invalid_argument), with it as the `cause`.
 */
export function asOnnxError(error: unknown, where: string): OnnxError {
  try {
    if (error instanceof OnnxError) return error;
  } catch {
    // A proxy that refuses to be looked at was thrown.
  }
  return new OnnxError('invalid_argument', `${where}: ${messageOf(error)}`, { cause: error });
}

/** The promise; or a rejection as soon as the signal aborts, which checkAborted() then tells. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal?.addEventListener) return promise;
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', reject);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', reject));
  });
}

/** Throws OnnxError (aborted) if `signal` says so. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new OnnxError('aborted', 'aborted by the signal', { cause: signal.reason });
}

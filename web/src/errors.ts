// The one error of the package, and how failures of the engine and of WebAssembly become it.

export type OnnxErrorCode =
  /** The bytes are no model, or the model breaks the standard. */
  | 'invalid_model'
  /** An operator, a version of it, or a function that is not implemented. */
  | 'unsupported_operator'
  /** A feed or a fetch that does not fit the model. */
  | 'invalid_input'
  /** An option or a call that makes no sense. */
  | 'invalid_argument'
  /** The message says how much memory was asked for. */
  | 'out_of_memory'
  /** The caller's AbortSignal; its reason is the `cause`. */
  | 'aborted'
  /** Data that an operator cannot work on. */
  | 'runtime_error'
  /** A file or URL cannot be read: the message names it, and the HTTP status if there is one. */
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Throws OnnxError (aborted) if `signal` says so. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new OnnxError('aborted', 'aborted by the signal', { cause: signal.reason });
}

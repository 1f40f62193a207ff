// What goes wrong in the command line: one line for people, a code for programs, and the exit code.
import { OnnxError } from '../index.js';

/** Exit codes of every command. */
export const kExit = {
  good: 0,
  /** compare: the outputs differ; test: a data set fails; check: the model is not valid. */
  differs: 1,
  /** The command was called wrongly: an option, or an input that does not fit the model. */
  usage: 2,
  /** A model or another file cannot be read or written. */
  load: 3,
  /** The model was loaded, but did not run. */
  run: 4,
} as const;

export class Failure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

export const usage = (message: string): Failure => new Failure('usage', message, kExit.usage);
export const unreadable = (message: string): Failure => new Failure('load_failed', message, kExit.load);

const kLoadCodes: readonly string[] = [
  'load_failed',
  'invalid_model',
  'unsupported_operator',
  'unsupported_platform',
  'out_of_memory',
];
const kUsageCodes: readonly string[] = ['invalid_input', 'invalid_argument'];

/** The system's words for why a file cannot be used, without its call and path. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  const known: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'access is denied',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of the path is no folder',
    ENOSPC: 'the disk is full',
  };
  return known[code ?? ''] ?? message ?? String(error);
}

/** An error of the package while a model is loaded, or run, as a Failure; others are bugs, and stay what they are. */
export function failureOf(error: unknown, during: 'load' | 'run'): unknown {
  if (!(error instanceof OnnxError)) return error;
  // With a node: the inputs are of the declared types and shapes, and it could not run with them.
  if (kUsageCodes.includes(error.code) && error.node === undefined)
    return new Failure(error.code, error.message, kExit.usage);
  const cause = error.cause as { code?: string } | undefined;
  // The package names the file, then the system's words with its call and path.
  const message = cause?.code ? error.message.replace(/: E[A-Z]+: .*$/, `: ${reasonOf(cause)}`) : error.message;
  const loading = during === 'load' && kLoadCodes.includes(error.code);
  return new Failure(error.code, message, loading ? kExit.load : kExit.run);
}

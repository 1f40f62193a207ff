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

const kReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'access is denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
  EEXIST: 'there is a file of that name',
  ENOSPC: 'the disk is full',
};

/** The system's words for why a file cannot be used, without its call and path. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return kReasons[code ?? ''] ?? message ?? String(error);
}

/** Does what writes to a path. @throws Failure (exit code 3) */
export async function writing(path: string, job: () => Promise<unknown>): Promise<void> {
  try {
    await job();
  } catch (error) {
    const noFolder = (error as { code?: string }).code === 'ENOENT';
    const reason = noFolder ? 'there is no such folder' : reasonOf(error);
    throw new Failure('write_failed', `cannot write ${path || 'to an empty path'}: ${reason}`, kExit.load);
  }
}

/** An error of the package while a model is loaded, or run, as a Failure; others are bugs, and stay what they are. */
export function failureOf(error: unknown, during: 'load' | 'run'): unknown {
  if (!(error instanceof OnnxError)) return error;
  // The package names the file, then the system's words with its call and path.
  const message = error.message.replace(/: (E[A-Z]+): .*$/, (words, code) => `: ${kReasons[code] ?? words.slice(2)}`);
  // With a node: the inputs are of the declared types and shapes, and it could not run with them.
  if (kUsageCodes.includes(error.code) && error.node === undefined)
    return new Failure(error.code, message, kExit.usage);
  const loading = during === 'load' && kLoadCodes.includes(error.code);
  return new Failure(error.code, message, loading ? kExit.load : kExit.run);
}

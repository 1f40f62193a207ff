// Models for the commands: loaded with a bar, and with errors that name them.
import { env, InferenceSession } from '../index.js';
import { graph } from '../tools.js';
import { failureOf, usage } from './failure.js';
import { sizeOf } from './inputs.js';
import { note } from './output.js';
import { type Progress, progress } from './progress.js';

export interface LoadOptions {
  readonly threads?: number | undefined;
  readonly quiet?: boolean;
  /** --dim: those that the inputs name are fixed for the session. */
  readonly dim?: readonly string[];
}

export interface LoadedModel {
  readonly session: InferenceSession;
  readonly path: string;
  readonly loadMs: number;
  /** Bytes of the model's file. */
  readonly size: number;
  /** What is left of --dim for makeFeeds(). */
  readonly dim: readonly string[];
}

/** NAME=SIZE by the names that open dimensions of the inputs have, and the others. */
async function split(path: string, dim: readonly string[]) {
  const fixed: Record<string, number> = {};
  const left: string[] = [];
  if (dim.length === 0) return { fixed, left };
  const { inputs } = (await graph(path)).graph;
  const names = new Set(inputs.flatMap(({ type }) => (type && 'shape' in type && type.shape ? type.shape : [])));
  for (const text of dim) {
    const [name, size] = [text.slice(0, text.lastIndexOf('=')), text.slice(text.lastIndexOf('=') + 1)];
    if (fixed[name] !== undefined) throw usage(`--dim ${name} is given twice`);
    if (names.has(name) && /^\d/.test(size)) fixed[name] = sizeOf(size, `--dim ${text}`);
    else left.push(text);
  }
  return { fixed, left };
}

let noted = false;

/** Says, once, that there are fewer threads than were asked for, and why. */
function noteFewer(threads: number | undefined, { info }: InferenceSession): void {
  if (threads === undefined || info.threads >= threads || noted) return;
  note(`--threads ${threads}: there are ${info.threads} (${info.why})`);
  noted = true;
}

/** @throws Failure (exit code 3) */
export async function loadModel(path: string, { threads, quiet = false, dim = [] }: LoadOptions): Promise<LoadedModel> {
  env.wasm.numThreads = threads;
  env.wasm.simd = 'relaxed'; // the process is ours
  let begin = performance.now();
  let bar: Progress | undefined;
  let size = 0;
  try {
    const { fixed, left } = await split(path, dim);
    begin = performance.now();
    const session = await InferenceSession.create(path, {
      freeDimensionOverrides: fixed,
      onProgress: ({ loaded, total }) => {
        size = loaded;
        bar ??= progress('loading', total ?? 0, quiet);
        bar.to(loaded);
      },
    });
    noteFewer(threads, session);
    return { session, path, size, dim: left, loadMs: performance.now() - begin };
  } catch (error) {
    throw failureOf(error, 'load');
  } finally {
    bar?.end();
  }
}

/** Does `job` with a model, and gives its memory and threads back whatever happens. @throws Failure */
export async function withModel<T>(path: string, options: LoadOptions, job: (model: LoadedModel) => Promise<T>) {
  const model = await loadModel(path, options);
  try {
    return await job(model);
  } catch (error) {
    throw failureOf(error, 'run');
  } finally {
    await model.session.release();
  }
}

export const sessionOf = ({ session }: LoadedModel) => ({
  variant: session.info.variant,
  threads: session.info.threads,
});

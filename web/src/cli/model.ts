// Models for the commands: loaded with a bar, and with errors that name them.
import { env, InferenceSession } from '../index.js';
import { failureOf } from './failure.js';
import { type Progress, progress } from './progress.js';

export interface LoadOptions {
  readonly threads?: number | undefined;
  readonly quiet?: boolean;
}

export interface LoadedModel {
  readonly session: InferenceSession;
  readonly path: string;
  readonly loadMs: number;
  /** Bytes of the model's file. */
  readonly size: number;
}

/** @throws Failure (exit code 3) */
export async function loadModel(path: string, { threads, quiet = false }: LoadOptions): Promise<LoadedModel> {
  env.wasm.numThreads = threads;
  const begin = performance.now();
  let bar: Progress | undefined;
  let size = 0;
  try {
    const session = await InferenceSession.create(path, {
      onProgress: ({ loaded, total }) => {
        size = loaded;
        bar ??= progress('loading', total ?? 0, quiet);
        bar.to(loaded);
      },
    });
    return { session, path, size, loadMs: performance.now() - begin };
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

// The engine's inference, and its runs of constant nodes: what the tools take from the engine that runs models.
import { createEngine } from '../create_engine.js';
import type { LocalEngine } from '../engine.js';
import { OnnxError } from '../errors.js';
import type { Workbench } from './native.js';

/** Gives the types of a model's values and the faults of its nodes, as the tools read them. */
export class Inference {
  private constructor(private readonly engine: LocalEngine) {}

  static async start(): Promise<Inference> {
    const { engine } = await createEngine(false);
    return new Inference(engine as LocalEngine);
  }

  /** `problem`: why there is no report. */
  report(bench: Workbench): { report: Uint8Array; problem: string } {
    const found = this.of(bench.call(['probe']));
    return found instanceof OnnxError ? { report: new Uint8Array(), problem: found.message } : found;
  }

  /** What a session says of bytes that are no model; undefined where it takes them. */
  refusal(bytes: Uint8Array): OnnxError | undefined {
    const found = this.of(bytes);
    return found instanceof OnnxError ? found : undefined;
  }

  private of(bytes: Uint8Array): { report: Uint8Array; problem: string } | OnnxError {
    this.engine.append(bytes);
    try {
      return { report: this.engine.types(), problem: '' };
    } catch (error) {
      if (!(error instanceof OnnxError) || error.code === 'instance_lost') throw error;
      return error;
    }
  }

  release(): void {
    this.engine.release(false);
  }
}

export async function withInference<T>(job: (inference: Inference) => T | Promise<T>): Promise<T> {
  const inference = await Inference.start();
  try {
    return await job(inference);
  } finally {
    inference.release();
  }
}

// From a compiled module to an instance of the engine with its threads; in pages, in workers, in Node.js.
import { messageOf } from './errors.js';
import type { Instance } from './native.js';
import { startThreads } from './threads.js';
import type { Factory } from './variants.js';
import type { WorkerKind } from './workers.js';

export interface Started {
  readonly instance: Instance;
  /** With the caller's. */
  readonly threads: number;
  /** Why there are fewer than were asked for. */
  readonly problem: string | undefined;
}

function instantiate(module: WebAssembly.Module, factory: Factory): Promise<Instance> {
  return new Promise((resolve, reject) => {
    factory({
      instantiateWasm: (imports, done) => {
        WebAssembly.instantiate(module, imports)
          .then((instance) => done(instance, module))
          .catch(reject);
        return {};
      },
    }).then(resolve, reject);
  });
}

/** @throws whatever the platform throws */
export async function startInstance(
  module: WebAssembly.Module,
  factory: Factory,
  kind: WorkerKind,
  threads: number,
): Promise<Started> {
  const instance = await instantiate(module, factory);
  const { started, problem } = await startThreads(instance, kind, threads - 1);
  return { instance, threads: started + 1, problem: problem && `a thread does not start: ${messageOf(problem)}` };
}

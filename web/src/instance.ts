// From a compiled module to an instance of the engine with its threads; in pages, in workers, in Node.js.
import { messageOf } from './errors.js';
import type { Instance } from './native.js';
import type { ThreadKind } from './threads.js';
import type { Factory } from './variants.js';

export interface Started {
  readonly instance: Instance;
  /** With the caller's. */
  readonly threads: number;
  /** Why there are fewer than were asked for. */
  readonly problem: string | undefined;
}

/** The memory: exported, or with threads imported. */
function heapOf({ exports }: WebAssembly.Instance, imports: WebAssembly.Imports): WebAssembly.Memory {
  const all: unknown[] = [exports, ...Object.values(imports)].flatMap((names) => Object.values(names));
  return all.find((value) => value instanceof WebAssembly.Memory) as WebAssembly.Memory;
}

function instantiate(module: WebAssembly.Module, factory: Factory): Promise<Instance> {
  return new Promise((resolve, reject) => {
    let heap: WebAssembly.Memory;
    factory({
      instantiateWasm: (given, done) => {
        const imports = given as WebAssembly.Imports;
        WebAssembly.instantiate(module, imports)
          .then((instance) => {
            heap = heapOf(instance, imports);
            done(instance, module);
          })
          .catch(reject);
        return {};
      },
    }).then((made) => resolve(Object.assign(made, { heap })), reject);
  });
}

/** @throws whatever the platform throws */
export async function startInstance(
  module: WebAssembly.Module,
  factory: Factory,
  kind: ThreadKind,
  threads: number,
): Promise<Started> {
  const instance = await instantiate(module, factory);
  if (threads <= 1) return { instance, threads: 1, problem: undefined };
  const { startThreads } = await import('./threads.js');
  const { started, problem } = await startThreads(instance, kind, threads - 1);
  return { instance, threads: started + 1, problem: problem && `a thread does not start: ${messageOf(problem)}` };
}

export function endThreads(instance: Instance): void {
  instance.PThread?.terminateAllThreads();
}

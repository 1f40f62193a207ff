// A worker that runs one session: the engine's side of messages.ts. Bundlers find it by web/src/workers.ts; its imports
// are static because their workers often cannot be split.
import { LocalEngine } from './engine.js';
import { messageOf } from './errors.js';
import { ExternalData } from './external_data.js';
import { startInstance } from './instance.js';
import { buffersOf, errorToReply, type Reply, type Request } from './messages.js';
import { nodeModule } from './platform.js';
import type { VariantName } from './variants.js';
import relaxed from './wasm/sardonyx-relaxed.mjs';
import relaxedThreads from './wasm/sardonyx-relaxed-threads.mjs';
import simd from './wasm/sardonyx-simd.mjs';
import simdThreads from './wasm/sardonyx-simd-threads.mjs';

const kFactories = { simd, relaxed, 'simd-threads': simdThreads, 'relaxed-threads': relaxedThreads };

interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  onmessage: ((event: { data: Request }) => void) | null;
  on?(event: 'message', listener: (data: Request) => void): void;
}
const port = (nodeModule('node:worker_threads')?.parentPort ?? globalThis) as Port;
let engine: LocalEngine | undefined;
let aborter: AbortController | undefined;

const state = () => ({ memory: (engine as LocalEngine).memory(), macs: (engine as LocalEngine).macs() });

async function start(module: WebAssembly.Module, variant: VariantName, threads: number): Promise<Reply> {
  const kind = variant.startsWith('relaxed') ? 'relaxed' : 'simd';
  const started = await startInstance(module, kFactories[variant], kind, threads);
  engine = new LocalEngine(started.instance, started.threads);
  return { value: { threads: started.threads, problem: started.problem } };
}

async function load({ options, files, modelPath }: Request & { op: 'load' }): Promise<Reply> {
  const external = ExternalData.of(files);
  try {
    const value = (engine as LocalEngine).load(options, external, modelPath);
    return { value, ...state() };
  } finally {
    external.close();
  }
}

async function run({ request, abortable }: Request & { op: 'run' }): Promise<Reply> {
  aborter = abortable ? new AbortController() : undefined;
  const result = await (engine as LocalEngine).run(request, aborter?.signal);
  return { value: { result, targets: request.targets }, ...state() };
}

async function answer(request: Exclude<Request, { op: 'abort' }>): Promise<Reply> {
  switch (request.op) {
    case 'start':
      return start(request.module, request.variant, request.threads);
    case 'append':
      engine?.append(request.bytes);
      return { value: undefined };
    case 'load':
      return load(request);
    case 'codecs':
      await engine?.useCodecs(request.module);
      return { value: undefined };
    case 'run':
      return run(request);
  }
}

function buffersOfReply(reply: Reply): ArrayBuffer[] {
  if ('error' in reply || !reply.value || !('result' in reply.value)) return [];
  const { result, targets } = reply.value;
  return [...buffersOf([...result.outputs, ...targets])];
}

async function serve(request: Request): Promise<void> {
  if (request.op === 'abort') return aborter?.abort();
  const reply = await answer(request).catch((error) => errorToReply(error, messageOf(error)));
  port.postMessage(reply, buffersOfReply(reply));
}

if (port.on) port.on('message', serve);
else port.onmessage = ({ data }) => void serve(data);

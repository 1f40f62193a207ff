// The module of the tools (src/tools/module.cpp), and one model in it.
import { messageOf, OnnxError, type OnnxErrorCode } from '../errors.js';
import { type External, openExternal } from '../external.js';
import { compiledPart, inTime, platformError } from '../module.js';
import { openSource, readAll } from '../source.js';
import { wasmSettings } from '../wasm_settings.js';
import { withInference } from './infer.js';
import type { ModelOptions } from './types.js';

interface Exports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(bytes: number): number;
  free(address: number): void;
  sardonyx_tools_create(): number;
  sardonyx_tools_delete(tools: number): void;
  sardonyx_tools_call(
    tools: number,
    request: number,
    requestBytes: number,
    payload: number,
    payloadBytes: number,
    answer: number,
  ): void;
}

/** There are no files, no clock and no way to exit: whatever the C library asks for fails (WASI's ENOSYS). */
function noSystem(module: WebAssembly.Module): WebAssembly.Imports {
  const imports: Record<string, Record<string, () => number>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [name]: () => 52 };
  }
  return imports;
}

async function compiledTools(): Promise<WebAssembly.Module> {
  const settings = wasmSettings();
  // A literal URL: bundlers find the file by it. It is that of dist/tools.js, which this becomes a part of.
  const beside = () => new URL('./wasm/sardonyx-tools.wasm', import.meta.url);
  try {
    return await inTime(compiledPart('tools', beside, settings), settings.timeout);
  } catch (error) {
    const code = error instanceof OnnxError ? error.code : 'load_failed';
    throw new OnnxError(code, `sardonyx/tools needs sardonyx-tools.wasm: ${messageOf(error)}`, { cause: error });
  }
}

function outOfMemory(bytes: number): OnnxError {
  return new OnnxError('out_of_memory', `the tools have no memory for ${bytes} bytes`);
}

/** One model, in a heap of its own. Every method throws OnnxError. */
export class Workbench {
  private readonly tools: number;
  private external: External | undefined;
  private done = 0;
  private total = 0;
  /** Of the file. */
  bytes = 0;

  private constructor(
    private readonly exports: Exports,
    /** What messages call the model. */
    private readonly label: string,
    private readonly path: string | undefined,
    private readonly options: ModelOptions,
  ) {
    exports._initialize();
    this.tools = exports.sardonyx_tools_create();
  }

  static async open(source: unknown, options: ModelOptions = {}): Promise<Workbench> {
    const { externalData = [], signal } = options;
    const opened = await openSource(source, signal);
    const [module, bytes] = await Promise.all([compiledTools(), readAll(opened)]);
    let instance: WebAssembly.Instance;
    try {
      instance = await WebAssembly.instantiate(module, noSystem(module));
    } catch (error) {
      throw platformError('start', error);
    }
    const bench = new Workbench(instance.exports as unknown as Exports, opened.label, opened.path, options);
    try {
      bench.call(['open'], bytes);
    } catch (error) {
      throw await bench.asSessionsSay(error, bytes);
    }
    bench.bytes = bytes.length;
    bench.external = await openExternal(externalData, signal);
    return bench;
  }

  /** One of so many steps is done; others get the thread for a moment. @throws OnnxError (aborted) */
  async step(steps = this.total): Promise<void> {
    const { onStep, signal } = this.options;
    this.total = steps;
    onStep?.({ done: ++this.done, total: steps });
    await new Promise((resolve) => setTimeout(resolve));
    if (signal?.aborted) throw new OnnxError('aborted', 'the work was aborted', { cause: signal.reason });
  }

  /** A command (src/tools/commands.cpp lists them) with its arguments; the answer is a copy. */
  call(request: readonly string[], payload: Uint8Array = new Uint8Array()): Uint8Array<ArrayBuffer> {
    const { exports, tools } = this;
    const words = new TextEncoder().encode(request.map((text) => `${text}\0`).join(''));
    const size = payload.length + words.length + 16;
    const at = exports.malloc(size);
    if (at === 0) throw outOfMemory(size);
    let found: Uint8Array<ArrayBuffer>;
    let failed: number;
    try {
      const answer = (at + payload.length + words.length + 3) & ~3;
      const heap = new Uint8Array(exports.memory.buffer);
      heap.set(payload, at);
      heap.set(words, at + payload.length);
      exports.sardonyx_tools_call(tools, at + payload.length, words.length, at, payload.length, answer);
      const result = new Uint32Array(exports.memory.buffer, answer, 3) as unknown as [number, number, number];
      const [address, bytes] = result;
      failed = result[2];
      found = new Uint8Array(exports.memory.buffer).slice(address, address + bytes) as Uint8Array<ArrayBuffer>;
      exports.free(at);
    } catch (error) {
      if (error instanceof OnnxError) throw error;
      // A trap: nothing can be said of the state that it leaves behind; the heap goes with this object.
      throw new OnnxError('instance_lost', `the tools failed on this model: ${messageOf(error)}`, { cause: error });
    }
    if (failed) throw this.failure(new TextDecoder().decode(found));
    return found;
  }

  text(request: readonly string[], payload?: Uint8Array): string {
    return new TextDecoder().decode(this.call(request, payload));
  }

  json<T>(request: readonly string[], payload?: Uint8Array): T {
    return JSON.parse(this.text(request, payload)) as T;
  }

  /** Puts weights that lie in files of their own into the model. */
  bringExternalData(): void {
    const wanted = this.json<{ location: string; offset: number; length: number }[]>(['externals']);
    for (const [i, { location, offset, length }] of wanted.entries()) {
      const bytes = new Uint8Array(length);
      const problem = this.external?.read(location, offset, bytes, this.path);
      if (problem !== undefined) throw this.named('load_failed', problem);
      this.call(['inline', String(i)], bytes);
    }
    if (wanted.length > 0) this.call(['inlined']);
  }

  private failure(text: string): OnnxError {
    const [code, message] = text.split('\0') as [OnnxErrorCode, string];
    return this.named(code, message);
  }

  private named(code: OnnxErrorCode, message: string): OnnxError {
    return new OnnxError(code, this.label === '' ? message : `${this.label}: ${message}`);
  }

  /** The tools read a file as one message, which only says that it is none; the engine says where it breaks off, and why. */
  private async asSessionsSay(error: unknown, bytes: Uint8Array): Promise<unknown> {
    if (!(error instanceof OnnxError) || error.code !== 'invalid_model') return error;
    try {
      const refusal = await withInference((inference) => inference.refusal(bytes));
      return refusal?.code === 'invalid_model' ? this.named(refusal.code, refusal.message) : error;
    } catch {
      return error;
    }
  }

  release(): void {
    this.external?.close();
  }
}

/** Does `job` with a model, and closes its files whatever happens. */
export async function withModel<T>(
  source: unknown,
  options: ModelOptions | undefined,
  job: (bench: Workbench) => T | Promise<T>,
): Promise<T> {
  const bench = await Workbench.open(source, options);
  try {
    return await job(bench);
  } finally {
    bench.release();
  }
}

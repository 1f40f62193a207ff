// From a .wasm file to an instance: compiled once, instantiated for each session.
import { env } from './env.js';
import { messageOf, OnnxError } from './errors.js';
import type { Instance } from './native.js';
import { hasFiles, pathOfUrl, readWholeFile } from './platform.js';
import { checkResponse, fetchOrFail } from './source.js';
import { chooseVariant, type Variant } from './variants.js';

/** Which build runs a session, and why. */
export interface SessionInfo {
  readonly variant: string;
  readonly threads: number;
  readonly why: string;
}

const compiledByUrl = new Map<string, Promise<WebAssembly.Module>>();
const compiledByBytes = new WeakMap<object, Promise<WebAssembly.Module>>();

/** The promise of the map, or a new one, which is forgotten again if it fails. */
function remembered<Key>(
  cache: {
    get(key: Key): Promise<WebAssembly.Module> | undefined;
    set(key: Key, p: Promise<WebAssembly.Module>): unknown;
    delete(key: Key): unknown;
  },
  key: Key,
  make: () => Promise<WebAssembly.Module>,
): Promise<WebAssembly.Module> {
  const known = cache.get(key);
  if (known) return known;
  const made = make();
  cache.set(key, made);
  made.catch(() => cache.delete(key));
  return made;
}

function platformError(what: string, error: unknown): OnnxError {
  const message = messageOf(error);
  const reason = /content security policy|code generation|unsafe-eval/i.test(message)
    ? "the page's security policy forbids it (script-src needs 'wasm-unsafe-eval', or pass env.wasm.wasmModule)"
    : 'it needs an engine with WebAssembly SIMD and exceptions (Chrome 95, Firefox 100, Safari 16.4, Node.js 17)';
  return new OnnxError('unsupported_platform', `cannot ${what} the WebAssembly module: ${reason}: ${message}`, {
    cause: error,
  });
}

async function compileBytes(bytes: Uint8Array, label: string): Promise<WebAssembly.Module> {
  if (!(bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d)) {
    const start = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart();
    const what = start.startsWith('<') ? 'HTML came instead' : `it starts with ${JSON.stringify(start.slice(0, 16))}`;
    throw new OnnxError('load_failed', `${label} is no WebAssembly module: ${what} (is env.wasm.wasmPaths right?)`);
  }
  try {
    return await WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>);
  } catch (error) {
    throw platformError('compile', error);
  }
}

async function compileUrl(url: string): Promise<WebAssembly.Module> {
  if (hasFiles() && url.startsWith('file:')) return compileBytes(await readWholeFile(pathOfUrl(new URL(url))), url);
  const response = await fetchOrFail(url);
  checkResponse(response, url, 'a WebAssembly module');
  // Compiling while it downloads works only with the right type; servers that do not know .wasm are many.
  if (/^application\/wasm/i.test(response.headers.get('content-type') ?? '') && WebAssembly.compileStreaming) {
    try {
      return await WebAssembly.compileStreaming(response);
    } catch (error) {
      throw platformError('compile', error);
    }
  }
  return compileBytes(new Uint8Array(await response.arrayBuffer()), url);
}

function urlOf(variant: Variant): string {
  const { wasmPaths } = env.wasm;
  if (typeof wasmPaths === 'object' && wasmPaths?.wasm) return String(wasmPaths.wasm);
  if (typeof wasmPaths === 'string' && wasmPaths !== '') {
    return /\.wasm$/.test(wasmPaths) ? wasmPaths : `${wasmPaths.replace(/\/?$/, '/')}sardonyx-${variant.name}.wasm`;
  }
  return variant.wasm().href;
}

/** The compiled module: the caller's own, or that of `variant`. */
function compiled(variant: Variant): Promise<WebAssembly.Module> {
  const { wasmModule, wasmBinary } = env.wasm;
  if (wasmModule) return Promise.resolve(wasmModule);
  if (wasmBinary) {
    return remembered(compiledByBytes, wasmBinary, () =>
      compileBytes(wasmBinary instanceof Uint8Array ? wasmBinary : new Uint8Array(wasmBinary), 'env.wasm.wasmBinary'),
    );
  }
  const url = urlOf(variant);
  return remembered(compiledByUrl, url, () => compileUrl(url));
}

function inTime<T>(promise: Promise<T>, milliseconds: number | undefined): Promise<T> {
  if (!milliseconds || !(milliseconds > 0)) return promise;
  return new Promise((resolve, reject) => {
    const late = () =>
      reject(
        new OnnxError('load_failed', `the WebAssembly module was not ready after ${milliseconds} ms (initTimeout)`),
      );
    const timer = setTimeout(late, milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** A new instance with a heap of its own. @throws OnnxError (load_failed, unsupported_platform) */
export async function createInstance(): Promise<{ instance: Instance; info: SessionInfo }> {
  if (typeof WebAssembly === 'undefined') throw new OnnxError('unsupported_platform', 'there is no WebAssembly here');
  const { variant, threads, why } = chooseVariant(env.wasm.numThreads);
  const [module, glue] = await inTime(Promise.all([compiled(variant), variant.glue()]), env.wasm.initTimeout);
  const instance = await new Promise<Instance>((resolve, reject) => {
    glue
      .default({
        instantiateWasm: (imports, done) => {
          WebAssembly.instantiate(module, imports).then(done).catch(reject);
          return {};
        },
      })
      .then(resolve, reject);
  }).catch((error) => {
    throw platformError('start', error);
  });
  return { instance, info: { variant: variant.name, threads, why } };
}

// From a .wasm file to a module: fetched and compiled once, for all sessions.
import { messageOf, OnnxError } from './errors.js';
import { late } from './late.js';
import { hasFiles, pathOfUrl, readWholeFile } from './platform.js';
import { checkResponse, fetchOrFail } from './source.js';
import type { Variant } from './variants.js';
import type { WasmSettings } from './wasm_settings.js';

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
  // Whoever waits for it hears of its failure; this is for those who gave up waiting.
  made.catch(() => cache.delete(key));
  cache.set(key, made);
  return made;
}

export function platformError(what: string, error: unknown): OnnxError {
  const message = messageOf(error);
  const reason = /content security policy|code generation|unsafe-eval/i.test(message)
    ? "the page's security policy forbids it (script-src needs 'wasm-unsafe-eval', or pass env.wasm.wasmModule)"
    : /import/i.test(message)
      ? 'it is of another version or package than this JavaScript'
      : 'it needs an engine with WebAssembly SIMD and exceptions (Chrome 95, Firefox 100, Safari 16.4, Node.js 17)';
  return new OnnxError('unsupported_platform', `cannot ${what} the WebAssembly module: ${reason}: ${message}`, {
    cause: error,
  });
}

async function compileBytes(bytes: Uint8Array, label: string): Promise<WebAssembly.Module> {
  if (!(bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d)) {
    const start = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart();
    const isPage = /^<(!--|!doctype html|html|head|body|script)/i.test(start);
    const what = isPage ? 'HTML came instead' : `it starts with ${JSON.stringify(start.slice(0, 16))}`;
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
  checkResponse(
    response,
    url,
    'a WebAssembly module',
    ' (env.wasm.wasmPaths leads to the .wasm files of this package)',
  );
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

let provided: (() => Promise<Uint8Array>) | undefined;

/** For entries that bring the build with SIMD and one thread with them: taken where the caller brings nothing. */
export function provideBinary(bytes: () => Promise<Uint8Array>): void {
  provided = bytes;
}

/** Does the caller or the entry bring a module? */
export function bringsModule({ module, binary, paths }: WasmSettings): boolean {
  return !!(module || binary || provided || fileOf(paths));
}

function fileOf(paths: WasmSettings['paths']): string | URL | undefined {
  return typeof paths === 'object' ? paths.wasm : paths?.endsWith('.wasm') ? paths : undefined;
}

/** The module that the caller or the entry brings, if there is one. @throws OnnxError (load_failed, unsupported_platform) */
export async function compiledGiven({ module, binary, binaryKey, paths }: WasmSettings) {
  if (module) return module;
  if (binary && binaryKey) return compiledBytes(binaryKey, binary, 'env.wasm.wasmBinary');
  const bytes = provided;
  if (bytes) return remembered(compiledByBytes, bytes, async () => compileBytes(await bytes(), 'the embedded module'));
  const file = fileOf(paths);
  return file ? compiledFrom(String(file)) : undefined;
}

/** `key` stays the same object where the bytes do. @throws OnnxError (load_failed, unsupported_platform) */
export function compiledBytes(key: object, bytes: Uint8Array, label: string): Promise<WebAssembly.Module> {
  return remembered(compiledByBytes, key, () => compileBytes(bytes, label));
}

/** @throws OnnxError (load_failed, unsupported_platform) */
export function compiledFrom(url: string): Promise<WebAssembly.Module> {
  return remembered(compiledByUrl, url, () => compileUrl(url));
}

/** The compiled module of `variant`. @throws OnnxError (load_failed, unsupported_platform) */
export async function compiled(variant: Variant, { paths }: WasmSettings) {
  return compiledFrom(inFolder(paths, variant.name) ?? variant.wasm().href);
}

/** The file in env.wasm.wasmPaths, where that is a folder. */
export function inFolder(paths: WasmSettings['paths'], name: string): string | undefined {
  if (typeof paths !== 'string' || paths === '' || paths.endsWith('.wasm')) return undefined;
  return `${paths.replace(/\/?$/, '/')}sardonyx-${name}.wasm`;
}

/** The compiled module of a part that few need: in the folder of env.wasm.wasmPaths, or at `beside`. */
export function compiledPart(name: string, beside: () => URL, { paths }: WasmSettings): Promise<WebAssembly.Module> {
  return compiledFrom(inFolder(paths, name) ?? beside().href);
}

/** The JavaScript of a variant's module. @throws OnnxError (load_failed) */
export async function glueOf(variant: Variant): ReturnType<Variant['glue']> {
  try {
    return await late(variant.name, variant.glue);
  } catch (error) {
    const message = `cannot load sardonyx-${variant.name}.mjs (a service worker imports 'sardonyx/static' before): ${messageOf(error)}`;
    throw new OnnxError('load_failed', message, { cause: error });
  }
}

export function inTime<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  if (milliseconds === 0) return promise;
  return new Promise((resolve, reject) => {
    const late = () =>
      reject(
        new OnnxError('load_failed', `the WebAssembly module was not ready after ${milliseconds} ms (initTimeout)`),
      );
    // Timers count in 32 bits.
    const timer = setTimeout(late, Math.min(milliseconds, 2 ** 31 - 1));
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

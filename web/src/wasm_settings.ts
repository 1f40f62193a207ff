// What env.wasm says, looked at once per session: a wrong setting is an error here, not a surprise later.
import { env, type WasmPaths } from './env.js';
import { invalidArgument, shown } from './errors.js';
import { checkNames } from './options.js';

export interface WasmSettings {
  /** A wish; undefined: none. */
  readonly threads: number | undefined;
  /** A session in a worker of its own. */
  readonly proxy: boolean | undefined;
  readonly simd: unknown;
  readonly module: WebAssembly.Module | undefined;
  readonly binary: Uint8Array | undefined;
  /** What `binary` is a view of: stays the same object between sessions. */
  readonly binaryKey: object | undefined;
  readonly paths: string | WasmPaths | undefined;
  /** As it was given: codecs.ts looks at it. */
  readonly codecs: unknown;
  /** Milliseconds; 0: no limit. */
  readonly timeout: number;
  readonly selfTest: boolean;
}

export function wrong(name: string, what: string, value: unknown): Error {
  return invalidArgument(`env.wasm.${name} must be ${what}, not ${shown(value)}`);
}

// By its tag: modules may come from another realm (a worker, a test runner's sandbox).
export function isModule(value: unknown): value is WebAssembly.Module {
  return Object.prototype.toString.call(value) === '[object WebAssembly.Module]';
}

export function bytesOf(given: unknown): Uint8Array | undefined {
  const shared = typeof SharedArrayBuffer !== 'undefined' && given instanceof SharedArrayBuffer;
  try {
    if (given instanceof ArrayBuffer || shared) return new Uint8Array(given as ArrayBuffer);
  } catch {
    throw invalidArgument('a buffer that is given in env.wasm is detached');
  }
  if (ArrayBuffer.isView(given)) return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  return undefined;
}

function binaryOf(given: unknown): Uint8Array {
  const bytes = bytesOf(given);
  if (!bytes) throw wrong('wasmBinary', 'an ArrayBuffer or a Uint8Array', given);
  return bytes;
}

const isUrl = (value: unknown): boolean => value === undefined || typeof value === 'string' || value instanceof URL;

function pathsOf(given: unknown): string | WasmPaths {
  if (typeof given === 'string') return given;
  if (given instanceof URL) return given.href;
  if (typeof given !== 'object' || given === null) throw wrong('wasmPaths', 'a string or {wasm, mjs}', given);
  const { wasm, mjs } = given as { wasm?: unknown; mjs?: unknown };
  if (!isUrl(wasm)) throw wrong('wasmPaths.wasm', 'a string or a URL', wasm);
  if (!isUrl(mjs)) throw wrong('wasmPaths.mjs', 'a string or a URL', mjs);
  return given as WasmPaths;
}

const kNames = 'numThreads wasmModule wasmBinary wasmPaths initTimeout proxy simd codecs selfTest trace'.split(' ');
const kEnvNames = Object.keys(env);

/** @throws OnnxError (invalid_argument) */
export function wasmSettings(): WasmSettings {
  checkNames('env', env, kEnvNames);
  checkNames('env.wasm', env.wasm, kNames);
  const { numThreads, wasmModule, wasmBinary, wasmPaths, initTimeout, proxy, simd, codecs, selfTest } = env.wasm;
  if (numThreads !== undefined && (!Number.isSafeInteger(numThreads) || numThreads < 0)) {
    throw wrong('numThreads', 'a whole number from 0 on', numThreads);
  }
  if (wasmModule !== undefined && !isModule(wasmModule)) {
    throw wrong('wasmModule', 'a WebAssembly.Module', wasmModule);
  }
  if (initTimeout !== undefined && !(typeof initTimeout === 'number' && initTimeout >= 0)) {
    throw wrong('initTimeout', 'a number of milliseconds from 0 on', initTimeout);
  }
  const binary = wasmBinary === undefined || wasmBinary === null ? undefined : binaryOf(wasmBinary);
  return {
    threads: numThreads,
    // Off is what everybody's default is; threads may still want a worker.
    proxy: proxy || undefined,
    simd,
    module: wasmModule,
    binary,
    binaryKey: binary && (wasmBinary as object),
    paths: wasmPaths === undefined || wasmPaths === null ? undefined : pathsOf(wasmPaths),
    codecs: codecs ?? undefined,
    timeout: initTimeout ?? 0,
    selfTest: selfTest === true,
  };
}

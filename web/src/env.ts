// Settings of the whole package, by the names of onnxruntime-common. They are read when a session is created.
import { version } from './version.js';

export interface WasmPaths {
  /** The .wasm file: an absolute URL, or one relative to the page. */
  wasm?: URL | string;
  /** Accepted and not used: the JavaScript of the module is part of the package. */
  mjs?: URL | string;
}

export interface WasmFlags {
  /** Threads to use; 0 or undefined: as many as are sensible here. */
  numThreads?: number | undefined;
  /**
   * 'fixed': no relaxed SIMD, whose results may differ between processors in the last bits. 'relaxed': in Node.js 20 too,
   * where V8 has it behind a flag, which is then set for the whole process. There are only SIMD builds.
   */
  simd?: boolean | 'fixed' | 'relaxed' | undefined;
  /** Every session in a worker of its own, so that runs do not block the page. Sessions with threads always are. */
  proxy?: boolean | undefined;
  /** Accepted for compatibility. */
  trace?: boolean | undefined;
  /** Milliseconds that loading the WebAssembly module may take; 0 or undefined: no limit. */
  initTimeout?: number | undefined;
  /** The folder of the .wasm files (ends with a slash), or the file itself. Default: beside the package's JavaScript. */
  wasmPaths?: string | WasmPaths | undefined;
  /** The bytes of the .wasm file, for those who have them already. */
  wasmBinary?: ArrayBufferLike | Uint8Array | undefined;
  /** The image codecs of models with an ImageDecoder: sardonyx-codecs.wasm as its URL, its bytes or its module. */
  codecs?: string | URL | ArrayBufferLike | Uint8Array | WebAssembly.Module | undefined;
  /**
   * Every new session's build is tried first: a small model, whose results are computed once more in JavaScript. Where they
   * are wrong (engines have had such faults), the next build is taken and `session.info.why` says so. Takes some
   * milliseconds.
   */
  selfTest?: boolean | undefined;
  /** The compiled module, for those who may not compile at run time (Cloudflare Workers). */
  wasmModule?: WebAssembly.Module | undefined;
}

export declare namespace Env {
  type WasmPathPrefix = string;
  type WasmFilePaths = WasmPaths;
  type WasmPrefixOrFilePaths = string | WasmPaths;
  type WebAssemblyFlags = WasmFlags;
  type WebGLFlags = Record<string, unknown>;
  type WebGpuFlags = Record<string, unknown>;
  interface WebGpuProfilingDataV1TensorMetadata {
    dims: readonly number[];
    dataType: string;
  }
  /** What a GPU's profile would hold: there is none here. */
  interface WebGpuProfilingDataV1 {
    version: 1;
    inputsMetadata: readonly WebGpuProfilingDataV1TensorMetadata[];
    outputsMetadata: readonly WebGpuProfilingDataV1TensorMetadata[];
    kernelId: number;
    kernelType: string;
    kernelName: string;
    programName: string;
    startTime: number;
    endTime: number;
  }
  type WebGpuProfilingData = WebGpuProfilingDataV1;
}
export interface Env {
  logLevel?: 'verbose' | 'info' | 'warning' | 'error' | 'fatal';
  debug?: boolean;
  trace?: boolean;
  readonly versions: {
    readonly common: string;
    readonly sardonyx: string;
    /** Stays undefined: programs take it for onnxruntime-web's, and fetch its files by it. */
    readonly web?: string;
    readonly node?: string;
  };
  readonly wasm: WasmFlags;
  readonly webgl: Record<string, unknown>;
  readonly webgpu: Record<string, unknown>;
  [name: string]: unknown;
}

export const env: Env = {
  logLevel: 'warning',
  debug: false,
  trace: false,
  versions: { common: version, sardonyx: version },
  wasm: {},
  webgl: {},
  webgpu: {},
};

// What a session and its engine in a worker say to each other.
import type { LoadOptions } from './engine.js';
import { OnnxError, type OnnxErrorCode } from './errors.js';
import type { ExternalFile } from './external_data.js';
import type { Loaded, MemoryUse, NativeTensor, NativeValue, RunRequest, RunResult } from './native.js';
import type { VariantName } from './variants.js';

/** One after the other: the next request comes when the last is answered. */
export type Request =
  | { op: 'start'; module: WebAssembly.Module; variant: VariantName; threads: number }
  | { op: 'append'; bytes: Uint8Array }
  | { op: 'load'; options: LoadOptions; files: readonly ExternalFile[]; modelPath: string | undefined }
  | { op: 'codecs'; module: WebAssembly.Module }
  | { op: 'run'; request: RunRequest; abortable: boolean }
  /** While a run that is abortable goes on; has no answer of its own. */
  | { op: 'abort' };

export interface StartReply {
  threads: number;
  problem: string | undefined;
}
export interface RunReply {
  result: RunResult;
  /** Those of the request, filled. */
  targets: RunRequest['targets'];
}
export type Reply =
  | { value: undefined | StartReply | Loaded | RunReply; memory?: MemoryUse; macs?: number }
  | { error: { code: OnnxErrorCode | undefined; message: string; node?: string; opType?: string } };

export function errorToReply(error: unknown, message: string): Reply {
  if (!(error instanceof OnnxError)) return { error: { code: undefined, message } };
  const { code, node, opType } = error;
  return { error: { code, message, ...(node ? { node } : {}), ...(opType ? { opType } : {}) } };
}

/**
 * What can be transferred with the buffers in `transfer`, to which it adds: a copy; or with `give` the value itself, as
 * far as its arrays are alone in their buffers.
 */
export function detachable(value: NativeValue, transfer: Set<ArrayBuffer>, give = false): NativeValue {
  if (value === null) return null;
  if ('items' in value) return { ...value, items: value.items.map((item) => detachable(item, transfer, give)) };
  if ('keys' in value) {
    const keys = detachable(value.keys, transfer, give) as NativeTensor;
    return { keys, values: value.values.map((item) => detachable(item, transfer, give)) };
  }
  if ('held' in value || !(value.data instanceof Uint8Array)) return value;
  const { data } = value;
  const whole = data.buffer instanceof ArrayBuffer && data.byteLength === data.buffer.byteLength;
  const sent = give && whole ? data : data.slice();
  transfer.add(sent.buffer as ArrayBuffer);
  return { ...value, data: sent };
}

/** The buffers of a result, which are nobody else's. */
export function buffersOf(values: readonly NativeValue[], found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  for (const value of values) {
    if (value === null || value === undefined) continue;
    if ('items' in value) buffersOf(value.items, found);
    else if ('keys' in value) buffersOf([value.keys, ...value.values], found);
    else if (!('held' in value) && value.data instanceof Uint8Array && value.data.buffer instanceof ArrayBuffer)
      found.add(value.data.buffer);
  }
  return found;
}

// Where a model's bytes come from: every kind of source as pieces that arrive one after the other.
import { invalidArgument, messageOf, OnnxError, shown } from './errors.js';
import { fileSize, hasFiles, pathOfUrl, readFilePieces, readWholeFile } from './platform.js';

export type ModelSource =
  | string
  | URL
  | ArrayBufferLike
  | ArrayBufferView
  | Blob
  | Response
  | ReadableStream<Uint8Array>;

export interface ByteSource {
  /** What messages call it: a URL, a path; empty if it has no name. */
  readonly label: string;
  /** Where it lies, if it is a file. */
  readonly path?: string;
  readonly total: number | undefined;
  readonly pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Ends a download that no one has read or will read on. */
  close?(): void;
}

const kPieceBytes = 1 << 20;

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += kPieceBytes) yield bytes.subarray(at, at + kPieceBytes);
}

async function* streamPieces(stream: ReadableStream<Uint8Array>, label: string): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (!(value instanceof Uint8Array)) throw invalidArgument('the stream must give Uint8Array pieces');
      yield value;
    }
  } catch (error) {
    if (error instanceof OnnxError) throw error;
    throw new OnnxError('load_failed', `${label || 'the stream'} broke off: ${messageOf(error)}`, { cause: error });
  } finally {
    // Ends the download where the reader stopped before the end; does nothing after it.
    reader.cancel().catch(() => {});
  }
}

export const kGone = "the model's buffer is detached or has shrunk: was it transferred to a worker?";

function fromBytes(source: ArrayBufferLike | ArrayBufferView): ByteSource {
  let bytes: Uint8Array;
  try {
    const view = ArrayBuffer.isView(source);
    bytes = view ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
  } catch (error) {
    throw new OnnxError('invalid_argument', kGone, { cause: error });
  }
  return { label: '', total: bytes.length, pieces: slices(bytes) };
}

function fromStream(stream: ReadableStream<Uint8Array>, label: string, total?: number): ByteSource {
  if (stream.locked) throw invalidArgument(`${label || 'the stream'} is locked: someone else reads it`);
  const close = () => {
    if (!stream.locked) stream.cancel().catch(() => {});
  };
  return { label, total, pieces: streamPieces(stream, label), close };
}

/** Throws OnnxError (load_failed) for an error status, with a `hint`, or an HTML page in place of `what`. */
export function checkResponse(response: Response, label: string, what: string, hint = ''): void {
  if (!response.ok) {
    const status = `${label}: HTTP status ${response.status} ${response.statusText}`.trimEnd();
    throw new OnnxError('load_failed', status + hint);
  }
  if (/^text\/html/i.test(response.headers.get('content-type') ?? '')) {
    throw new OnnxError('load_failed', `${label} answered with an HTML page, not with ${what}: is the URL right?`);
  }
}

function fromResponse(response: Response, label: string): ByteSource {
  checkResponse(response, label, 'a model');
  if (response.bodyUsed) throw invalidArgument(`the body of the response of ${label} is already used`);
  const encoded = response.headers.get('content-encoding');
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const total = !encoded && Number.isSafeInteger(length) && length > 0 ? length : undefined;
  return response.body ? fromStream(response.body, label, total) : { label, total, pieces: [] };
}

/** A URL in messages: data URLs are as long as what they hold. */
export const shortUrl = (url: string | URL): string => String(url).replace(/^(data:.{60}).+/is, '$1...');

export async function fetchOrFail(url: string | URL, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, signal ? { signal } : {});
  } catch (error) {
    throw new OnnxError('load_failed', `cannot fetch ${shortUrl(url)}: ${messageOf(error)}`, { cause: error });
  }
}

async function fromFile(path: string): Promise<ByteSource> {
  return { label: path, path, total: await fileSize(path), pieces: readFilePieces(path, kPieceBytes) };
}

/** A string is a URL where it names a scheme that can be fetched, or where there are no files. */
function fileOf(source: string | URL): string | undefined {
  if (source instanceof URL) return source.protocol === 'file:' && hasFiles() ? pathOfUrl(source) : undefined;
  if (!hasFiles() || /^(https?|data|blob):/i.test(source)) return undefined;
  return /^file:/i.test(source) ? pathOfUrl(source) : source;
}

/** @throws OnnxError (load_failed, invalid_argument) */
export async function openSource(source: unknown, signal?: AbortSignal): Promise<ByteSource> {
  if (typeof source === 'string' || source instanceof URL) {
    if (source === '') throw invalidArgument('the path of the model is empty');
    const path = fileOf(source);
    return path === undefined ? fromResponse(await fetchOrFail(source, signal), shortUrl(source)) : fromFile(path);
  }
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) return fromBytes(source);
  if (typeof SharedArrayBuffer !== 'undefined' && source instanceof SharedArrayBuffer) return fromBytes(source);
  if (typeof Blob !== 'undefined' && source instanceof Blob) {
    const label = (source as { name?: string }).name ?? '';
    return fromStream(source.stream(), label, source.size);
  }
  if (typeof Response !== 'undefined' && source instanceof Response) {
    return fromResponse(source, source.url || 'the response');
  }
  if (typeof ReadableStream !== 'undefined' && source instanceof ReadableStream) {
    return fromStream(source, '');
  }
  throw invalidArgument(
    `a model comes as a path, URL, ArrayBuffer, typed array, Blob, Response or ReadableStream, not as ${shown(source)}`,
  );
}

/** All bytes of a source at once. */
export async function readAll(source: ByteSource): Promise<Uint8Array> {
  if (source.path !== undefined) return readWholeFile(source.path);
  const parts: Uint8Array[] = [];
  for await (const piece of source.pieces) parts.push(piece);
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// What differs between Node.js (and those that follow it) and browsers: reading files.
import { messageOf, OnnxError } from './errors.js';

// The little that is used of Node's modules; its types are no dependency of the package.
interface FileHandle {
  read(to: Uint8Array, offset: number, length: number): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}
interface NodeFs {
  promises: {
    open(path: string): Promise<FileHandle>;
    readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
    stat(path: string): Promise<{ size: number; isFile(): boolean }>;
  };
  openSync(path: string): number;
  readSync(file: number, to: Uint8Array, offset: number, length: number, position: number): number;
  closeSync(file: number): void;
}
interface NodeWorkerPort {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  on(event: string, listener: (value: unknown) => void): void;
}
interface NodeWorkerThreads {
  Worker: new (script: URL, options: object) => NodeWorkerPort & { terminate(): unknown; ref(): void; unref(): void };
  parentPort: NodeWorkerPort | null;
  workerData: unknown;
}
interface NodeModules {
  'node:fs': NodeFs;
  'node:os': { availableParallelism(): number };
  'node:worker_threads': NodeWorkerThreads;
  'node:path': { dirname(path: string): string; join(...parts: string[]): string };
  'node:v8': { setFlagsFromString(flags: string): void };
  'node:url': { fileURLToPath(url: URL): string };
}
interface NodeProcess {
  versions?: { node?: string };
  getBuiltinModule?: (name: string) => unknown;
}

const nodeProcess = (globalThis as { process?: NodeProcess }).process;

/** Node's own modules are asked for at run time, so that no bundler finds an import that it cannot resolve. */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  return nodeProcess?.getBuiltinModule?.(name) as NodeModules[Name] | undefined;
}

/** Are there files that can be opened by path? */
export function hasFiles(): boolean {
  return typeof nodeProcess?.versions?.node === 'string' && nodeModule('node:fs') !== undefined;
}

/** The path of a file: URL. @throws OnnxError (load_failed) for what names no file of this machine */
export function pathOfUrl(url: URL | string): string {
  const fromUrl = nodeModule('node:url')?.fileURLToPath;
  if (!fromUrl) throw new OnnxError('load_failed', `${url}: files cannot be read here`);
  try {
    return fromUrl(new URL(url));
  } catch (error) {
    throw new OnnxError('load_failed', `${url} names no file here: ${messageOf(error)}`, { cause: error });
  }
}

/** The result of `job`; what it throws becomes OnnxError (load_failed). */
async function reading<T>(path: string, job: (fs: NodeFs['promises']) => Promise<T>): Promise<T> {
  try {
    return await job((nodeModule('node:fs') as NodeFs).promises);
  } catch (error) {
    throw new OnnxError('load_failed', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** The whole file. */
export function readWholeFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return reading(path, (fs) => fs.readFile(path));
}

/** The bytes of a file in pieces, all in one array that is filled again for the next piece. */
export async function* readFilePieces(path: string, pieceBytes: number): AsyncGenerator<Uint8Array> {
  const file = await reading(path, (fs) => fs.open(path));
  try {
    for (;;) {
      const piece = new Uint8Array(pieceBytes);
      const { bytesRead } = await reading(path, () => file.read(piece, 0, pieceBytes));
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

export function fileSize(path: string): Promise<number> {
  return reading(path, async (fs) => {
    const stat = await fs.stat(path);
    if (!stat.isFile()) throw new Error('it is no file');
    return stat.size;
  });
}

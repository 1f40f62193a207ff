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
interface NodeModules {
  'node:fs': NodeFs;
  'node:path': { dirname(path: string): string; join(...parts: string[]): string };
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

/** The path of a file: URL. */
export function pathOfUrl(url: URL): string {
  const path = nodeModule('node:url')?.fileURLToPath(url);
  if (path === undefined) throw new OnnxError('load_failed', `${url}: files cannot be read here`);
  return path;
}

/** The whole file. */
export async function readWholeFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await (nodeModule('node:fs') as NodeFs).promises.readFile(path);
  } catch (error) {
    throw new OnnxError('load_failed', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** The bytes of a file in pieces, all in one array that is filled again for the next piece. */
export async function* readFilePieces(path: string, pieceBytes: number): AsyncGenerator<Uint8Array> {
  const file = await (nodeModule('node:fs') as NodeFs).promises.open(path);
  try {
    const piece = new Uint8Array(pieceBytes);
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

export async function fileSize(path: string): Promise<number> {
  try {
    const stat = await (nodeModule('node:fs') as NodeFs).promises.stat(path);
    if (!stat.isFile()) throw new Error('it is no file');
    return stat.size;
  } catch (error) {
    throw new OnnxError('load_failed', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

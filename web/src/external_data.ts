// Files with weights beside the model: given by the caller, or read where they lie next to a model that is a file.
import { invalidArgument, messageOf, OnnxError, shown } from './errors.js';
import { type External, missing } from './external.js';
import { nodeModule } from './platform.js';
import { type ModelSource, openSource, readAll } from './source.js';

/** A file of external data; a bare string or URL is its path (as the model names it) and its place at once. */
export type ExternalDataFile =
  | string
  | URL
  | {
      /** As the model writes it. */
      readonly path: string;
      readonly data: ModelSource;
    };

/** A file as it can be sent to a worker: its name, and its bytes or its path. */
export type ExternalFile = readonly [name: string, content: Uint8Array | string];

type Reader = (offset: number, to: Uint8Array) => string | undefined;

const normalized = (path: string): string => path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');

function readBytes(bytes: Uint8Array, path: string): Reader {
  return (offset, to) => {
    if (offset + to.length > bytes.length) return tooShort(path, bytes.length, offset + to.length);
    to.set(bytes.subarray(offset, offset + to.length));
    return undefined;
  };
}

function tooShort(path: string, have: number, wanted: number): string {
  return `the external data file "${path}" has ${have} bytes; the model wants them up to ${wanted}`;
}

export class ExternalData implements External {
  private readonly readers = new Map<string, Reader>();
  private readonly openFiles: number[] = [];
  readonly files: ExternalFile[] = [];

  /** @throws OnnxError */
  static async open(files: readonly ExternalDataFile[], signal?: AbortSignal): Promise<ExternalData> {
    const external = new ExternalData();
    try {
      await Promise.all(files.map((file) => external.add(file, signal)));
      return external;
    } catch (error) {
      external.close();
      throw error;
    }
  }

  /** Those of another thread. @throws OnnxError */
  static of(files: readonly ExternalFile[]): ExternalData {
    const external = new ExternalData();
    for (const [name, content] of files) external.addContent(name, content);
    return external;
  }

  private addContent(name: string, content: Uint8Array | string): void {
    const reader = typeof content === 'string' ? this.readFile(content, name) : readBytes(content, name);
    this.readers.set(normalized(name), reader);
    this.files.push([name, content]);
  }

  private async add(file: ExternalDataFile, signal?: AbortSignal): Promise<void> {
    const bare = typeof file === 'string' || file instanceof URL;
    if (
      !bare &&
      (typeof file !== 'object' || file === null || typeof file.path !== 'string' || file.data === undefined)
    ) {
      throw invalidArgument("each item of 'externalData' is {path, data}, or a path or URL");
    }
    const name = bare ? String(file).replace(/^.*\//, '') : file.path;
    try {
      const source = await openSource(bare ? file : file.data, signal);
      const content = source.path ?? (await readAll(source));
      this.addContent(name, content);
      if (bare) this.addContent(String(file), content);
    } catch (error) {
      const code = error instanceof OnnxError ? error.code : 'load_failed';
      throw new OnnxError(code, `the external data file ${shown(name)}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Reads pieces of the file straight into the heap. */
  private readFile(path: string, name: string): Reader {
    const fs = nodeModule('node:fs');
    if (!fs) throw new OnnxError('load_failed', `cannot read ${path}: there are no files here`);
    let file: number;
    try {
      file = fs.openSync(path);
    } catch (error) {
      throw new OnnxError('load_failed', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
    }
    this.openFiles.push(file);
    return (offset, to) => {
      for (let done = 0; done < to.length; ) {
        const n = fs.readSync(file, to, done, to.length - done, offset + done);
        if (n === 0) return tooShort(name, offset + done, offset + to.length);
        done += n;
      }
      return undefined;
    };
  }

  /** A file beside the model; undefined where the path would leave the model's folder. */
  private beside(modelPath: string, location: string): Reader | undefined {
    const path = nodeModule('node:path');
    const parts = location.split('/');
    if (!path || location.startsWith('/') || parts.includes('..') || /^[a-z]:/i.test(location)) return undefined;
    return this.readFile(path.join(path.dirname(modelPath), ...parts), location);
  }

  read(location: string, offset: number, to: Uint8Array, modelPath: string | undefined): string | undefined {
    const key = normalized(location);
    let reader = this.readers.get(key);
    if (!reader && modelPath !== undefined) {
      try {
        reader = this.beside(modelPath, key);
      } catch (error) {
        return `the model's external data is missing: ${messageOf(error)}`;
      }
      if (reader) this.readers.set(key, reader);
    }
    if (reader) return reader(offset, to);
    const known = [...this.readers.keys()].map((name) => `"${name}"`).join(', ') || 'none';
    return missing(location, known);
  }

  close(): void {
    this.readers.clear();
    for (const file of this.openFiles.splice(0)) nodeModule('node:fs')?.closeSync(file);
  }
}

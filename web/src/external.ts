// What answers for a model's external data; external_data.ts, which reads files, is loaded where there are any.
import type { ExternalDataFile, ExternalFile } from './external_data.js';
import { late } from './late.js';
import { hasFiles } from './platform.js';

/** Answers the loader's requests for external data; to be closed once the model is loaded. */
export interface External {
  /** All that were given. */
  readonly files: readonly ExternalFile[];
  /** The callback of the engine: why it cannot, or undefined. `modelPath`: the model's, if it is a file. */
  read(location: string, offset: number, to: Uint8Array, modelPath: string | undefined): string | undefined;
  close(): void;
}

/** What a model without its file is told. */
export const missing = (location: string, given = 'none'): string =>
  `the model needs the external data file "${location}": pass it in options.externalData (given: ${given})`;

export const kNoFiles: External = { files: [], read: (location) => missing(location), close() {} };

/** Fetches what cannot be read on demand. @throws OnnxError */
export async function openExternal(files: readonly ExternalDataFile[], signal?: AbortSignal): Promise<External> {
  if (files.length === 0 && !hasFiles()) return kNoFiles;
  const { ExternalData } = await late('external_data', () => import('./external_data.js'));
  return ExternalData.open(files, signal);
}

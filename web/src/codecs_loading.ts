// Where the image codecs come from: loaded with them, for models with an ImageDecoder.
import type { SessionEngine } from './engine.js';
import { messageOf, OnnxError } from './errors.js';
import { compiledBytes, compiledFrom, inFolder, inTime } from './module.js';
import { bytesOf, isModule, type WasmSettings, wasmSettings, wrong } from './wasm_settings.js';

async function compiled({ codecs, paths }: WasmSettings): Promise<WebAssembly.Module> {
  if (typeof codecs === 'string') return compiledFrom(codecs);
  if (codecs instanceof URL) return compiledFrom(codecs.href);
  // A literal URL: bundlers find the file by it, and take it along.
  const beside = () => new URL('./wasm/sardonyx-codecs.wasm', import.meta.url).href;
  if (codecs === undefined) return compiledFrom(inFolder(paths, 'codecs') ?? beside());
  if (isModule(codecs)) return codecs;
  const bytes = bytesOf(codecs);
  if (!bytes) throw wrong('codecs', 'a URL, an ArrayBuffer, a Uint8Array or a WebAssembly.Module', codecs);
  return compiledBytes(bytes.buffer, bytes, 'env.wasm.codecs');
}

/** Gives the engine of a model with an ImageDecoder its codecs. @throws OnnxError */
export async function bringCodecs(engine: SessionEngine): Promise<void> {
  const settings = wasmSettings();
  try {
    await engine.useCodecs(await inTime(compiled(settings), settings.timeout));
  } catch (error) {
    const code = error instanceof OnnxError ? error.code : 'load_failed';
    const hint = 'env.wasm.codecs may say where it is, or bring it';
    const message = `the model's ImageDecoder needs sardonyx-codecs.wasm (${hint}): ${messageOf(error)}`;
    throw new OnnxError(code, message, { cause: error });
  }
}

// The steps of creating a session: bytes into the engine, the graph, and what it says of its inputs and outputs.
import { findOperator, hasOperators } from './custom_operators.js';
import { dtypeName } from './dtypes.js';
import { checkAborted, OnnxError } from './errors.js';
import { ExternalData } from './external_data.js';
import { createInstance, type SessionInfo } from './module.js';
import { call, type Engine, type Loaded, type NativePort } from './native.js';
import type { Settings } from './options.js';
import { breath } from './running.js';
import type { InferenceSession } from './session.js';
import { type ByteSource, openSource } from './source.js';
import { typeText } from './values.js';

export function metadataOf(port: NativePort): InferenceSession.ValueMetadata {
  const type = dtypeName(port.dtype);
  if (port.kind !== 'tensor' || type === undefined) {
    return { name: port.name, isTensor: false, description: typeText(port) };
  }
  return { name: port.name, isTensor: true, type, shape: (port.shape ?? []).map((d) => (d === -1 ? '' : d)) };
}

/** Feeds the bytes to the engine as they come, in blocks. */
async function readInto(engine: Engine, source: ByteSource, settings: Settings): Promise<number> {
  let loaded = 0;
  for await (const piece of source.pieces) {
    checkAborted(settings.signal);
    call(() => engine.append(piece));
    loaded += piece.length;
    settings.onProgress({ phase: 'reading', loaded, total: source.total });
  }
  checkAborted(settings.signal);
  return loaded;
}

function load(engine: Engine, source: ByteSource, external: ExternalData, settings: Settings, threads: number): Loaded {
  try {
    return call(() =>
      engine.load({
        optimizationLevel: settings.optimizationLevel,
        threads,
        freeDimensions: settings.freeDimensions,
        ...(hasOperators() ? { customOperators: findOperator } : {}),
        externalData: (location, offset, to) => external.read(location, offset, to, source.path),
      }),
    );
  } catch (error) {
    // Says which of several models it is.
    if (!(error instanceof OnnxError) || source.label === '') throw error;
    throw new OnnxError(error.code, `${source.label}: ${error.message}`, error);
  }
}

/** Instantiates the engine and opens the sources at the same time, then reads and loads. @throws OnnxError */
export async function createSession<T>(
  source: unknown,
  settings: Settings,
  make: (engine: Engine, loaded: Loaded, info: SessionInfo) => T,
): Promise<T> {
  checkAborted(settings.signal);
  const external = ExternalData.open(settings.externalData, settings.signal);
  const opening = openSource(source, settings.signal);
  try {
    const [{ instance, info }, opened, files] = await Promise.all([createInstance(), opening, external]);
    const engine = new instance.Engine();
    const loaded = await readInto(engine, opened, settings);
    const progress = { loaded, total: opened.total ?? loaded };
    settings.onProgress({ phase: 'preparing', ...progress });
    // The engine takes the thread for a while: last chance for an abort.
    if (settings.signal) await breath();
    checkAborted(settings.signal);
    const parts = load(engine, opened, files, settings, info.threads);
    settings.onProgress({ phase: 'ready', ...progress });
    return make(engine, parts, info);
  } finally {
    // Also where one of them failed while the others were still on their way.
    external.then((files) => files.close()).catch(() => {});
    opening.then((opened) => opened.close?.()).catch(() => {});
  }
}

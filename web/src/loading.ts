// The steps of creating a session: bytes into the engine, the graph, and what it says of its inputs and outputs.
import { createEngine, type SessionInfo } from './create_engine.js';
import { dtypeName } from './dtypes.js';
import type { SessionEngine } from './engine.js';
import { checkAborted, invalidArgument, OnnxError, unlessAborted } from './errors.js';
import { type External, openExternal } from './external.js';
import { bringHeldTensors } from './held.js';
import { late } from './late.js';
import type { Loaded, NativePort } from './native.js';
import { findOperator, hasOperators } from './operator_registry.js';
import type { Settings } from './options.js';
import type { InferenceSession } from './session.js';
import { breath } from './slices.js';
import { type ByteSource, kGone, openSource } from './source.js';
import { typeText } from './values.js';

export function metadataOf(port: NativePort): InferenceSession.ValueMetadata {
  const type = dtypeName(port.dtype);
  if (port.kind !== 'tensor' || type === undefined) {
    return { name: port.name, isTensor: false, description: typeText(port) };
  }
  return { name: port.name, isTensor: true, type, shape: (port.shape ?? []).map((d) => (d === -1 ? '' : d)) };
}

/** Feeds the bytes to the engine as they come, in blocks. */
async function readInto(engine: SessionEngine, source: ByteSource, settings: Settings): Promise<number> {
  let loaded = 0;
  for await (const piece of source.pieces) {
    checkAborted(settings.signal);
    await engine.append(piece);
    loaded += piece.length;
    settings.onProgress({ phase: 'reading', loaded, total: source.total });
  }
  checkAborted(settings.signal);
  if (!source.label && loaded < (source.total ?? 0)) throw invalidArgument(kGone);
  return loaded;
}

async function load(engine: SessionEngine, source: ByteSource, external: External, settings: Settings) {
  const { optimizationLevel, winograd, freeDimensions } = settings;
  try {
    const customOperators = hasOperators() ? { customOperators: findOperator } : {};
    return await engine.load(
      { optimizationLevel, winograd, freeDimensions, ...customOperators },
      external,
      source.path,
    );
  } catch (error) {
    // Says which of several models it is.
    if (!(error instanceof OnnxError) || source.label === '') throw error;
    throw new OnnxError(error.code, `${source.label}: ${error.message}`, error);
  }
}

/** The image codecs, which are fetched for those models that need them. */
async function bringWhatIsNeeded(engine: SessionEngine, { metadata }: Loaded): Promise<void> {
  if (!metadata.operators.ImageDecoder || findOperator('', 'ImageDecoder')) return;
  const { bringCodecs } = await late('codecs_loading', () => import('./codecs_loading.js'));
  await bringCodecs(engine);
}

/** Instantiates the engine and opens the sources at the same time, then reads and loads. @throws OnnxError */
export async function createSession<T>(
  source: unknown,
  settings: Settings,
  make: (engine: SessionEngine, loaded: Loaded, info: SessionInfo) => T,
): Promise<T> {
  checkAborted(settings.signal);
  const external = openExternal(settings.externalData, settings.signal);
  const opening = openSource(source, settings.signal);
  // Operators in JavaScript are functions of this thread.
  const size = opening.then(({ total }) => total);
  // Whoever waits for it hears of a failure, and everybody by `opening`.
  size.catch(() => {});
  const starting = createEngine(hasOperators() ? false : settings.worker, size);
  const steps = async () => {
    const [{ engine, info }, opened, files] = await Promise.all([starting, opening, external]);
    const loaded = await readInto(engine, opened, settings);
    const progress = { loaded, total: opened.total ?? loaded };
    settings.onProgress({ phase: 'preparing', ...progress });
    // The engine takes the thread for a while: last chance for an abort.
    if (settings.signal) await breath();
    checkAborted(settings.signal);
    const parts = await load(engine, opened, files, settings);
    await bringWhatIsNeeded(engine, parts);
    checkAborted(settings.signal);
    if (engine.holds && parts.outputs.some(({ name }) => settings.pinned(name))) await bringHeldTensors();
    settings.onProgress({ phase: 'ready', ...progress });
    return make(engine, parts, info);
  };
  try {
    return await unlessAborted(steps(), settings.signal);
  } catch (error) {
    // Its threads and workers must end.
    starting.then(({ engine }) => engine.release(true)).catch(() => {});
    throw error;
  } finally {
    // Also where one of them failed while the others were still on their way.
    external.then((files) => files.close()).catch(() => {});
    opening.then((opened) => opened.close?.()).catch(() => {});
  }
}

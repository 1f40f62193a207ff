// The time to the first session: each time in a fresh process or page, both runtimes in turn. Reading, compiling and
// instantiating the WebAssembly are in it; the system's cache has the files.
import { pairedRatio, spread } from './statistics.mjs';

const kRuntimes = ['sardonyx', 'onnxruntime-web'];

async function once(host, runtime, spec) {
  const handle = await host.start();
  try {
    const { importMs, createMs, firstRunMs } = await handle.call('start', { ...spec, runtime });
    return { create: createMs, ready: importMs + createMs, firstRun: firstRunMs };
  } finally {
    await handle.end();
  }
}

/**
 * @returns {Promise<object>} for each of create (InferenceSession.create), ready (import and create) and firstRun:
 *   {ours, theirs, ratio}, spreads of ms and of how many times faster ours is
 */
export async function measureCold(host, { model, feeds, path, variant }, pairs) {
  const spec = { variant, threads: 1, model: host.model(path), feeds };
  for (const runtime of kRuntimes) await once(host, runtime, spec); // the files are cached from here on
  const measured = [];
  for (let i = 0; i < pairs; i++) {
    const pair = [];
    for (const runtime of kRuntimes) pair.push(await once(host, runtime, spec));
    measured.push(pair);
  }
  const result = { model: model.name, variant };
  for (const what of ['create', 'ready', 'firstRun']) {
    const [ours, theirs] = [0, 1].map((side) => measured.map((pair) => pair[side][what]));
    result[what] = { ours: spread(ours), theirs: spread(theirs), ratio: pairedRatio(ours, theirs) };
  }
  return result;
}

// stats(): what a model is, and what one run of it takes.
import { InferenceSession } from '../session.js';
import type { ModelSource } from '../source.js';
import { madeFeeds } from './feeds.js';
import type { ModelStats, StatsOptions } from './run_types.js';

/**
 * Parameters, operators, and by one run multiply-adds and memory. Inputs that are not given are random.
 * @throws OnnxError where it cannot be loaded or run
 */
export async function stats(model: ModelSource, options: StatsOptions = {}): Promise<ModelStats> {
  const { session: settings, externalData, signal } = options;
  const session = await InferenceSession.create(model, {
    ...settings,
    ...(externalData ? { externalData } : {}),
    ...(signal ? { signal } : {}),
  });
  try {
    const { feeds, assumed } = madeFeeds(session, options);
    await session.run(feeds, signal ? { signal } : {});
    const { parameters, operators } = session.metadata;
    const inputs = Object.entries(feeds).map(([name, { type, dims }]) => ({ name, type, dims }));
    const nodes = Object.values(operators).reduce((a, b) => a + b, 0);
    const macs = session.macs() ?? null;
    return { parameters, nodes, operators, inputs, assumed, macs, memory: session.memory() };
  } finally {
    await session.release();
  }
}

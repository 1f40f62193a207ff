// compare(): two models on the same inputs, and the first value that differs.
import { OnnxError } from '../errors.js';
import type { ExternalDataFile } from '../external_data.js';
import { InferenceSession } from '../session.js';
import { type ModelSource, openSource, readAll } from '../source.js';
import type { Tensor } from '../tensor.js';
import { compareResults, compareValues } from './comparing.js';
import { type MadeFeeds, madeFeeds } from './feeds.js';
import { type Inference, withInference } from './infer.js';
import { type Workbench, withModel } from './native.js';
import type { CompareOptions, Comparison, NodePlace, ValueDifference } from './run_types.js';

// Values of one run that are held at the same time, of each model.
const kMostBytes = 64 << 20;
const kMostValues = 500;

interface TracedValue extends NodePlace {
  readonly value: string;
  /** null where its size is not known before the run. */
  readonly bytes: number | null;
}

type Feeds = Readonly<Record<string, Tensor>>;

/** A source that can be read twice. */
async function lasting(source: ModelSource, signal: AbortSignal | undefined): Promise<ModelSource> {
  const once = source instanceof ReadableStream || (typeof Response !== 'undefined' && source instanceof Response);
  return once ? readAll(await openSource(source, signal)) : source;
}

function sessionOptions(options: CompareOptions, externalData: readonly ExternalDataFile[] | undefined) {
  const { session, signal } = options;
  return { ...session, ...(externalData ? { externalData } : {}), ...(signal ? { signal } : {}) };
}

async function resultsOf(
  model: ModelSource,
  externalData: readonly ExternalDataFile[] | undefined,
  options: CompareOptions,
  feedsFor: (session: InferenceSession) => Feeds,
) {
  const session = await InferenceSession.create(model, sessionOptions(options, externalData));
  try {
    return await session.run(feedsFor(session), options.signal ? { signal: options.signal } : {});
  } finally {
    await session.release();
  }
}

/** The values of a's main graph that b has too, in their order, in groups that fit into memory. */
function groupsOf(a: Workbench, b: Workbench): { readonly ours: TracedValue; readonly theirs: TracedValue }[][] {
  const list = (bench: Workbench) => bench.json<TracedValue[]>(['values']);
  const theirs = new Map(list(b).map((value) => [value.value, value]));
  const groups: { ours: TracedValue; theirs: TracedValue }[][] = [];
  let bytes = Infinity;
  for (const ours of list(a)) {
    const other = theirs.get(ours.value);
    if (!other) continue;
    const size = Math.max(ours.bytes ?? 1 << 20, other.bytes ?? 0);
    if (bytes + size > kMostBytes || (groups.at(-1)?.length ?? 0) >= kMostValues) {
      groups.push([]);
      bytes = 0;
    }
    bytes += size;
    groups.at(-1)?.push({ ours, theirs: other });
  }
  return groups;
}

async function valuesOf(bench: Workbench, names: readonly string[], feeds: Feeds, options: CompareOptions) {
  const part = bench.call(['part', ...names]);
  const { externalData: _, ...rest } = options.session ?? {};
  // As it is written: no node is merged with another.
  const session = await InferenceSession.create(part, { ...rest, graphOptimizationLevel: 'disabled' });
  try {
    return await session.run(feeds, options.signal ? { signal: options.signal } : {});
  } finally {
    await session.release();
  }
}

function prepare(bench: Workbench, inference: Inference, feeds: Feeds): void {
  bench.bringExternalData();
  for (const [name, { dims }] of Object.entries(feeds)) {
    try {
      bench.call(['fix_input', name, ...dims.map(String)]);
    } catch (error) {
      // The run has shown that it takes them: then only the sizes of values are not known.
      if (!(error instanceof OnnxError) || error.code !== 'invalid_argument') throw error;
    }
  }
  bench.call(['infer'], inference.report(bench).report);
}

/**
 * The first value, in the order of a's nodes, that both models have by name and that differs, where both run without
 * any node merged; null where all that both have agree. `feeds` are all inputs. @throws OnnxError
 */
export async function firstDifference(
  a: ModelSource,
  b: ModelSource,
  options: CompareOptions & { readonly feeds: Feeds },
): Promise<ValueDifference | null> {
  const { feeds, signal, externalData, otherExternalData = externalData } = options;
  const files = (list: readonly ExternalDataFile[] | undefined) => ({
    ...(list ? { externalData: list } : {}),
    ...(signal ? { signal } : {}),
  });
  return withModel(a, files(externalData), (left) =>
    withModel(b, files(otherExternalData), (right) =>
      withInference(async (inference) => {
        for (const bench of [left, right]) prepare(bench, inference, feeds);
        const groups = groupsOf(left, right);
        const total = groups.reduce((sum, group) => sum + group.length, 0);
        let compared = 0;
        for (const group of groups) {
          const names = group.map(({ ours }) => ours.value);
          const actual = await valuesOf(left, names, feeds, options);
          const expected = await valuesOf(right, names, feeds, options);
          for (const { ours, theirs } of group) {
            compared++;
            const difference = compareValues(actual[ours.value], expected[ours.value], options);
            if (difference.problem === undefined) continue;
            const place = ({ index, name, opType }: TracedValue): NodePlace => ({ index, name, opType });
            return { value: ours.value, nodes: [place(ours), place(theirs)], compared, ...difference } as const;
          }
          options.onProgress?.({ compared, total });
        }
        return null;
      }),
    ),
  );
}

/**
 * Runs both models on the same inputs and compares their outputs; where one differs, looks for the first node that
 * does. @throws OnnxError where one cannot be loaded or run, or they take other inputs
 */
export async function compare(a: ModelSource, b: ModelSource, options: CompareOptions = {}): Promise<Comparison> {
  const { signal, externalData, otherExternalData = externalData } = options;
  const [left, right] = [await lasting(a, signal), await lasting(b, signal)];
  let made: MadeFeeds = { feeds: {}, assumed: [] };
  const actual = await resultsOf(left, externalData, options, (session) => {
    made = madeFeeds(session, options);
    return made.feeds;
  });
  const expected = await resultsOf(right, otherExternalData, options, () => made.feeds);
  const outputs = compareResults(actual, expected, options);
  const same = outputs.every((output) => output.same);
  const looked = same || options.nodes === false;
  const first = looked ? null : await firstDifference(left, right, { ...options, feeds: made.feeds });
  return { same, outputs, assumed: made.assumed, firstDifference: first };
}

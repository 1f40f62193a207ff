// sardonyx run: feeds a model, and says what comes out.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromeTrace, type InferenceSession, type OnnxValue, type ProfileEntry, Tensor } from '../index.js';
import { Failure, kExit, reasonOf, usage } from './failure.js';
import { blamingRandom, type InputOptions, makeFeeds, noteAssumed } from './inputs.js';
import { sessionOf, withModel } from './model.js';
import { type Common, milliseconds, print, printJson, shapeText, table } from './output.js';
import { progress } from './progress.js';
import { type OtherSummary, summaryLines, summaryOf, type TensorSummary } from './summary.js';
import { writeNpy } from './values_npy.js';

export interface RunOptions extends Common, InputOptions {
  readonly output?: string;
  readonly threads?: number;
  readonly profile?: string;
  readonly repeat: number;
}

/** Milliseconds by operator type, the largest first; what ran in a subgraph is in the time of the node that ran it. */
export function byOperator(entries: readonly ProfileEntry[]) {
  const types = new Map<string, { opType: string; nodes: number; ms: number }>();
  for (const { opType, duration, depth } of entries) {
    if (depth > 0) continue;
    const row = types.get(opType) ?? { opType, nodes: 0, ms: 0 };
    types.set(opType, { opType, nodes: row.nodes + 1, ms: row.ms + duration });
  }
  return [...types.values()].sort((a, b) => b.ms - a.ms);
}

async function writing(path: string, job: () => Promise<unknown>): Promise<void> {
  try {
    await job();
  } catch (error) {
    throw new Failure('write_failed', `cannot write ${path}: ${reasonOf(error)}`, kExit.load);
  }
}

// Names of outputs may hold slashes and whatever else a file's name may not.
function fileNames(names: readonly string[]): string[] {
  const safe = names.map((name) => name.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '_') || '_');
  return safe.map((name, i) => `${safe.indexOf(name) === i ? name : `${name}_${i}`}.npy`);
}

async function save(
  folder: string,
  values: Readonly<Record<string, OnnxValue>>,
  summaries: (TensorSummary | OtherSummary)[],
) {
  await writing(folder, () => mkdir(folder, { recursive: true }));
  const names = fileNames(Object.keys(values));
  for (const [i, value] of Object.values(values).entries()) {
    const summary = summaries[i] as TensorSummary | OtherSummary;
    if (!(value instanceof Tensor) || 'items' in summary) continue;
    const file = join(folder, names[i] as string);
    await writing(file, () => writeFile(file, writeNpy(value)));
    summary.file = file;
  }
}

async function repeated(session: InferenceSession, feeds: InferenceSession.OnnxValueMapType, options: RunOptions) {
  const bar = progress('running', options.repeat, options.json === true || options.repeat < 2);
  const times: number[] = [];
  let outputs: InferenceSession.OnnxValueMapType = {};
  try {
    for (let i = 0; i < options.repeat; i++) {
      const begin = performance.now();
      outputs = await session.run(feeds, { profile: options.profile !== undefined && i === options.repeat - 1 });
      times.push(performance.now() - begin);
      bar.to(i + 1);
    }
  } finally {
    bar.end();
  }
  return { outputs, times };
}

export async function runCommand(path: string, options: RunOptions): Promise<void> {
  if (options.profile?.endsWith('.onnx')) throw usage(`--profile ${options.profile}: that would write over a model`);
  await withModel(path, { threads: options.threads, quiet: options.json === true, dim: options.dim }, async (model) => {
    const made = await makeFeeds(model.session, { ...options, dim: model.dim });
    noteAssumed(made);
    const { outputs, times } = await repeated(model.session, made.feeds, options).catch(blamingRandom(made));
    const summaries = Object.entries(outputs).map(([name, value]) => summaryOf(name, value));
    if (options.output !== undefined) await save(options.output, outputs, summaries);
    const profile = options.profile === undefined ? undefined : model.session.profile();
    if (profile) {
      const file = options.profile as string;
      await writing(file, () => writeFile(file, JSON.stringify(chromeTrace(profile))));
    }
    const operators = profile && byOperator(profile);
    const { inputs, assumed } = made;
    if (options.json) {
      const head = { model: path, session: sessionOf(model), loadMs: model.loadMs, runMs: times };
      printJson({ ...head, inputs, assumed, outputs: summaries, ...(operators ? { operators } : {}) });
      return;
    }
    const { variant, threads } = sessionOf(model);
    print(`loaded in ${milliseconds(model.loadMs)} (${variant}, ${threads} thread${threads === 1 ? '' : 's'})`);
    const sorted = [...times].sort((a, b) => a - b);
    const middle = sorted[sorted.length >> 1] as number;
    print(`ran in ${milliseconds(middle)}${times.length > 1 ? ` (median of ${times.length})` : ''}`);
    print('inputs');
    for (const { name, type, dims, source } of inputs) print(`  ${name}: ${shapeText(type, dims)} from ${source}`);
    print('outputs');
    for (const line of summaries.flatMap((summary) => summaryLines(summary))) print(line);
    if (!operators) return;
    const total = operators.reduce((sum, { ms }) => sum + ms, 0) || 1;
    print('time by operator');
    const rows = operators.map(({ opType, nodes, ms }) => [
      opType,
      nodes,
      milliseconds(ms),
      `${((100 * ms) / total).toFixed(1)} %`,
    ]);
    print(table([['operator', 'nodes', 'time', 'share'], ...rows]));
    print(`the trace is in ${options.profile}: open it in ui.perfetto.dev or chrome://tracing`);
  });
}

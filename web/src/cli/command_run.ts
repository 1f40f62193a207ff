// sardonyx run: feeds a model, and says what comes out.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromeTrace, type InferenceSession, type OnnxValue, type ProfileEntry, Tensor } from '../index.js';
import { type OperatorTime, timeByOperator } from '../tools.js';
import { usage, writing } from './failure.js';
import { blamingRandom, type InputOptions, makeFeeds, noteAssumed } from './inputs.js';
import { sessionOf, withModel } from './model.js';
import { type Common, milliseconds, note, print, printJson, shapeText, table, withCommas } from './output.js';
import { progress } from './progress.js';
import { type OtherSummary, summaryLines, summaryOf, type TensorSummary } from './summary.js';
import { writeNpy } from './values_npy.js';

export interface RunOptions extends Common, InputOptions {
  readonly output?: string;
  readonly threads?: number;
  readonly profile?: string;
  readonly repeat: number;
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

/** What --profile prints: a table, with what ran in subgraphs under the operator that ran it. */
function profileText(operators: readonly OperatorTime[], profile: readonly ProfileEntry[]): string {
  const total = sumOf(operators.map(({ ms }) => ms)) || 1;
  const hasInner = operators.some(({ inside }) => inside.length > 0);
  const rowsOf = (times: readonly OperatorTime[], indent: string): (string | number)[][] =>
    times.flatMap(({ opType, nodes, runs, ms, inside }) => [
      [
        `${indent}${opType}`,
        nodes,
        ...(hasInner ? [runs] : []),
        milliseconds(ms),
        `${((100 * ms) / total).toFixed(1)} %`,
      ],
      ...rowsOf(inside, `${indent}  `),
    ]);
  const head = ['operator', 'nodes', ...(hasInner ? ['runs'] : []), 'time', 'share'];
  const lines = ['time by operator', table([head, ...rowsOf(operators, '')])];
  if (hasInner) lines.push('what ran in subgraphs is indented, and part of the time of what ran it');
  const leftOut = sumOf(profile.map((entry) => entry.leftOut ?? 0));
  if (leftOut > 0) lines.push(`${withCommas(leftOut)} more runs of nodes in subgraphs were not recorded one by one`);
  return lines.join('\n');
}

// Names of outputs may hold slashes and whatever else a file's name may not, and be longer than those may be.
function fileNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const safe =
      name
        .replace(/[^\w.-]+/g, '_')
        .replace(/^\.+/, '_')
        .slice(0, 200) || '_';
    let free = safe;
    // Some file systems do not tell large letters from small ones.
    for (let i = 1; taken.has(free.toLowerCase()); i++) free = `${safe}_${i}`;
    taken.add(free.toLowerCase());
    return `${free}.npy`;
  });
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
    if (!(value instanceof Tensor) || 'items' in summary) {
      note(`output "${summary.name}" is no tensor: it is not written`);
      continue;
    }
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
    const operators = profile && timeByOperator(profile);
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
    if (!profile || !operators) return;
    print(profileText(operators, profile));
    print(`the trace is in ${options.profile}: open it in ui.perfetto.dev or chrome://tracing`);
  });
}

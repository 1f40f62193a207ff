// sardonyx compare: two models on the same inputs, output by output.
import process from 'node:process';
import { compareResults, firstDifference, type ValueDifference } from '../tools.js';
import { failureOf, kExit, usage } from './failure.js';
import { type Feeds, type InputOptions, makeFeeds, noteAssumed } from './inputs.js';
import { type LoadedModel, withModel } from './model.js';
import { type Common, note, numberText, print, printJson, table } from './output.js';
import { type Progress, progress } from './progress.js';

export interface CompareOptions extends Common, InputOptions {
  readonly rtol: number;
  readonly atol: number;
  readonly threads?: number;
  /** --no-nodes sets it to false. */
  readonly nodes?: boolean;
}

async function inputsMatch(a: LoadedModel, b: LoadedModel): Promise<void> {
  const [ours, theirs] = [a, b].map(({ session }) => [...session.inputNames].sort());
  if (String(ours) === String(theirs)) return;
  throw usage(`${a.path} takes the inputs ${ours?.join(', ')}; ${b.path} takes ${theirs?.join(', ')}`);
}

async function firstOf(a: string, b: string, feeds: Feeds['feeds'], options: CompareOptions) {
  const { rtol, atol, json } = options;
  let bar: Progress | undefined;
  try {
    return await firstDifference(a, b, {
      feeds,
      rtol,
      atol,
      onProgress: ({ compared, total }) => {
        bar ??= progress('nodes', total, json === true);
        bar.to(compared);
      },
    });
  } finally {
    bar?.end();
  }
}

function firstText(first: ValueDifference | null): string {
  if (first === null) return 'no value that both have by name differs when no node is merged with another';
  const { value, nodes, problem, maxAbs, maxRel, compared } = first;
  const [ours, theirs] = nodes.map(({ index, name, opType }) => `${opType} "${name}" (node ${index})`);
  return [
    `the first value that differs: "${value}": ${problem}`,
    `  made by ${ours === theirs ? ours : `${ours} in a, ${theirs} in b`}`,
    `  largest |a - b| ${numberText(maxAbs)}, |a - b| / |b| ${numberText(maxRel)}; ${compared - 1} before it agree`,
  ].join('\n');
}

export async function compareCommand(a: string, b: string, options: CompareOptions): Promise<void> {
  const { rtol, atol } = options;
  const load = { threads: options.threads, quiet: options.json === true, dim: options.dim };
  await withModel(a, load, (left) =>
    withModel(b, load, async (right) => {
      await inputsMatch(left, right);
      const made = await makeFeeds(left.session, { ...options, dim: left.dim });
      noteAssumed(made);
      const run = async ({ session, path }: LoadedModel) => {
        try {
          return await session.run(made.feeds);
        } catch (error) {
          const failure = failureOf(error, 'run');
          if (failure instanceof Error) failure.message = `${path}: ${failure.message}`;
          throw failure;
        }
      };
      const actual = await run(left);
      const expected = await run(right);
      if (left.session.outputNames.length !== right.session.outputNames.length) {
        const counts = [left, right].map(({ session }) => session.outputNames.length);
        throw usage(`${a} has ${counts[0]} outputs, ${b} has ${counts[1]}: they cannot be compared`);
      }
      const outputs = compareResults(actual, expected, { rtol, atol });
      if (outputs.some(({ other }) => other !== undefined))
        note('the outputs have other names: they are compared in their order');
      const same = outputs.every((output) => output.same);
      if (!same) process.exitCode = kExit.differs;
      const looks = !same && options.nodes !== false;
      const first = looks ? await firstOf(a, b, made.feeds, options) : null;
      if (options.json) {
        const { inputs, assumed } = made;
        const nulled = outputs.map((output) => ({ ...output, problem: output.problem ?? null }));
        printJson({ a, b, rtol, atol, same, inputs, assumed, outputs: nulled, firstDifference: first });
        return;
      }
      const rows = outputs.map(({ name, maxAbs, maxRel, problem }) => [
        name,
        numberText(maxAbs),
        numberText(maxRel),
        problem ?? 'same',
      ]);
      print(table([['output', 'largest |a - b|', '|a - b| / |b|', ''], ...rows], ''));
      print(`${same ? 'the same' : 'different'}, within ${atol} + ${rtol} |b|`);
      if (looks) print(firstText(first));
    }),
  );
}

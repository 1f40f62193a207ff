// sardonyx compare: two models on the same inputs, output by output.
import process from 'node:process';
import { compareValues, type Tolerance } from './comparing.js';
import { failureOf, kExit, usage } from './failure.js';
import { type InputOptions, makeFeeds, noteAssumed } from './inputs.js';
import { type LoadedModel, withModel } from './model.js';
import { type Common, note, numberText, print, printJson, table } from './output.js';

export interface CompareOptions extends Common, InputOptions, Tolerance {
  readonly threads?: number;
}

/** Pairs of outputs, [of a, of b]: by their names; by their order where the names differ and the counts do not. */
function pairedOutputs(a: LoadedModel, b: LoadedModel): (readonly [string, string])[] {
  const [ours, theirs] = [a.session.outputNames, b.session.outputNames];
  if (ours.every((name) => theirs.includes(name)) && ours.length === theirs.length) {
    return ours.map((name) => [name, name] as const);
  }
  if (ours.length !== theirs.length) {
    throw usage(`${a.path} has ${ours.length} outputs, ${b.path} has ${theirs.length}: they cannot be compared`);
  }
  note('the outputs have other names: they are compared in their order');
  return ours.map((name, i) => [name, theirs[i] as string] as const);
}

async function inputsMatch(a: LoadedModel, b: LoadedModel): Promise<void> {
  const [ours, theirs] = [a, b].map(({ session }) => [...session.inputNames].sort());
  if (String(ours) === String(theirs)) return;
  throw usage(`${a.path} takes the inputs ${ours?.join(', ')}; ${b.path} takes ${theirs?.join(', ')}`);
}

export async function compareCommand(a: string, b: string, options: CompareOptions): Promise<void> {
  const { rtol, atol } = options;
  const load = { threads: options.threads, quiet: options.json === true };
  await withModel(a, load, (left) =>
    withModel(b, load, async (right) => {
      await inputsMatch(left, right);
      const made = await makeFeeds(left.session, options);
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
      const outputs = pairedOutputs(left, right).map(([name, other]) => {
        const { problem, ...rest } = compareValues(actual[name], expected[other], { rtol, atol });
        return {
          name,
          ...(other === name ? {} : { other }),
          same: problem === undefined,
          ...rest,
          problem: problem ?? null,
        };
      });
      const same = outputs.every((output) => output.same);
      if (!same) process.exitCode = kExit.differs;
      if (options.json) {
        const { inputs, assumed } = made;
        printJson({ a, b, rtol, atol, same, inputs, assumed, outputs });
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
    }),
  );
}

// sardonyx test: models with the data that they must give, in the folders of ONNX's own tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import type { InferenceSession, OnnxValue } from '../index.js';
import { compareValues, type Tolerance } from '../tools.js';
import { Failure, failureOf, kExit, reasonOf, unreadable, usage } from './failure.js';
import { withModel } from './model.js';
import { type Common, print, printJson } from './output.js';
import { progress } from './progress.js';
import { readProto } from './values_proto.js';

export interface TestOptions extends Common, Partial<Tolerance> {
  readonly threads?: number;
}

interface Result {
  readonly model: string;
  /** null where the model itself failed. */
  readonly dataSet: string | null;
  readonly pass: boolean;
  readonly problem: string | null;
}

const kTolerance: Required<Tolerance> = { rtol: 1e-3, atol: 1e-7 };

function modelIn(folder: string): string | undefined {
  const models = readdirSync(folder).filter((name) => name.endsWith('.onnx'));
  if (models.includes('model.onnx')) return join(folder, 'model.onnx');
  if (models.length > 1) throw usage(`${folder} has ${models.length} models, and none is called model.onnx`);
  return models[0] && join(folder, models[0]);
}

/** Folders with a model: the one that is given, or those in it. */
function casesIn(folder: string): [string, string][] {
  try {
    const own = modelIn(folder);
    if (own) return [[folder, own]];
    const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return inner.flatMap(({ name }): [string, string][] => {
      const model = modelIn(join(folder, name));
      return model ? [[join(folder, name), model]] : [];
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(`cannot read ${folder}: ${reasonOf(error)}`);
  }
}

// The suite's own way to say that a model needs more: data.json beside it.
function toleranceOf(folder: string, { rtol, atol }: TestOptions): Tolerance {
  const file = join(folder, 'data.json');
  let own: Partial<Tolerance> = {};
  try {
    if (existsSync(file)) own = JSON.parse(readFileSync(file, 'utf8')) as Partial<Tolerance>;
  } catch (error) {
    throw unreadable(`cannot read ${file}: ${reasonOf(error)}`);
  }
  return { rtol: rtol ?? own.rtol ?? kTolerance.rtol, atol: atol ?? own.atol ?? kTolerance.atol };
}

function read(file: string, port: InferenceSession.ValueMetadata): OnnxValue {
  try {
    const kind = port.isTensor ? 'tensor' : (/^(sequence|optional|map)/.exec(port.description)?.[1] ?? 'tensor');
    return readProto(readFileSync(file), kind as 'tensor');
  } catch (error) {
    throw new Error(`${basename(file)}: ${reasonOf(error)}`);
  }
}

/** Why a data set fails; undefined where it passes. */
async function problemOf(session: InferenceSession, folder: string, tolerance: Tolerance): Promise<string | undefined> {
  const feeds: Record<string, OnnxValue> = {};
  for (const [i, port] of session.inputMetadata.entries()) {
    const file = join(folder, `input_${i}.pb`);
    // Optional inputs at the end may be left out.
    if (existsSync(file) || port.isTensor) feeds[port.name] = read(file, port);
  }
  const outputs = await session.run(feeds);
  let compared = 0;
  for (const [i, port] of session.outputMetadata.entries()) {
    const file = join(folder, `output_${i}.pb`);
    if (!existsSync(file)) continue;
    compared++;
    const { problem } = compareValues(outputs[port.name], read(file, port), tolerance);
    if (problem) return `output "${port.name}" ${problem}`;
  }
  return compared > 0 ? undefined : 'there is no output_0.pb to compare with';
}

async function testCase(folder: string, model: string, options: TestOptions): Promise<Result[]> {
  const failed = (error: unknown, dataSet: string | null): Result => {
    const failure = failureOf(error, 'run');
    return { model, dataSet, pass: false, problem: failure instanceof Error ? failure.message : String(failure) };
  };
  const sets = readdirSync(folder)
    .filter((name) => name.startsWith('test_data_set_'))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  if (sets.length === 0) return [failed(new Error('there is no test_data_set_0 beside it'), null)];
  const tolerance = toleranceOf(folder, options);
  try {
    return await withModel(model, { threads: options.threads, quiet: true }, async ({ session }) => {
      const results: Result[] = [];
      for (const dataSet of sets) {
        try {
          const problem = await problemOf(session, join(folder, dataSet), tolerance);
          results.push({ model, dataSet, pass: problem === undefined, problem: problem ?? null });
        } catch (error) {
          results.push(failed(error, dataSet));
        }
      }
      return results;
    });
  } catch (error) {
    return [failed(error, null)];
  }
}

export async function testCommand(folder: string, options: TestOptions): Promise<void> {
  const cases = casesIn(folder);
  if (cases.length === 0) throw unreadable(`${folder} has no .onnx file, and no folder in it has one`);
  const bar = progress('testing', cases.length, options.json === true || cases.length < 2);
  const results: Result[] = [];
  try {
    for (const [i, [inner, model]] of cases.entries()) {
      results.push(...(await testCase(inner, model, options)));
      bar.to(i + 1);
    }
  } finally {
    bar.end();
  }
  const failed = results.filter(({ pass }) => !pass).length;
  const passed = results.length - failed;
  if (failed > 0) process.exitCode = kExit.differs;
  if (options.json) {
    printJson({ folder, passed, failed, results });
    return;
  }
  for (const { model, dataSet, pass, problem } of results) {
    print(`${pass ? 'PASS' : 'FAIL'} ${model}${dataSet ? ` ${dataSet}` : ''}${problem ? `: ${problem}` : ''}`);
  }
  print(`${passed} passed, ${failed} failed`);
}

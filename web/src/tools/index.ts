// The public names of sardonyx/tools.
import type { ModelSource } from '../source.js';
import { withInference } from './infer.js';
import { type Workbench, withModel } from './native.js';
import { simplifyIn } from './simplify.js';
import type {
  CheckReport,
  ExtractOptions,
  InferOptions,
  ModelDescription,
  ModelOptions,
  OnnxFile,
  PrintOptions,
  SimplifyOptions,
  SimplifyResult,
  WriteOptions,
} from './types.js';

export { OnnxError, type OnnxErrorCode } from '../errors.js';
export type { ExternalDataFile } from '../external_data.js';
export { compare, firstDifference } from './compare.js';
export { compareResults, compareValues } from './comparing.js';
export { timeByOperator } from './profile.js';
export { randomTensor } from './random.js';
export type * from './run_types.js';
export { stats } from './stats.js';
export type * from './types.js';

/**
 * Everything that a viewer shows of a model: nodes, values, weights with their places in the file, functions, metadata.
 * Weights in files of their own are not read. @throws OnnxError
 */
export function graph(model: ModelSource, options?: ModelOptions): Promise<ModelDescription> {
  return withModel(model, options, (bench) => bench.json<ModelDescription>(['describe']));
}

/**
 * The .onnx file, written anew: with the weights inside, or with those of at least `least` bytes in a file of their own.
 * What the standard's newer releases add to the messages is kept. @throws OnnxError
 */
export function toOnnx(model: ModelSource, options: WriteOptions = {}): Promise<OnnxFile> {
  const { location, least = 1024 } = options;
  return withModel(model, options, (bench) => {
    bench.bringExternalData();
    const moved = location === undefined ? undefined : bench.call(['move_out', location, String(least)]);
    return { model: bench.call(['bytes']), ...(moved ? { externalData: moved } : {}) };
  });
}

/**
 * All that is wrong with a model, with its place: what onnx.checker's full check reports, shapes and types included.
 * @throws OnnxError where it cannot be read at all
 */
export function check(model: ModelSource, options?: ModelOptions): Promise<CheckReport> {
  return withModel(model, options, (bench) =>
    withInference(async (inference) => {
      await bench.step(2);
      const { report, problem } = inference.report(bench);
      await bench.step();
      return bench.json<CheckReport>(['check', problem], report);
    }),
  );
}

const kMostRounds = 64;

function fixDimensions(bench: Workbench, options: SimplifyOptions): void {
  const { dims = {}, inputShapes = {} } = options;
  for (const [name, sizes] of Object.entries(inputShapes)) bench.call(['fix_input', name, ...sizes.map(String)]);
  for (const [name, size] of Object.entries(dims)) bench.call(['fix_dim', name, String(size)]);
}

/**
 * The .onnx file with the types and shapes of all values in value_info, as far as they are known before a run. Open
 * dimensions keep their names. @throws OnnxError
 */
export function inferShapes(model: ModelSource, options: InferOptions = {}): Promise<Uint8Array> {
  return withModel(model, options, (bench) =>
    withInference(async (inference) => {
      fixDimensions(bench, options);
      await bench.step(2);
      // What depends on data is declared as far as that is possible, and more follows from it.
      for (let round = 0; round < kMostRounds; round++)
        if (bench.text(['infer'], inference.report(bench).report) !== '1') break;
      await bench.step();
      return bench.call(['bytes']);
    }),
  );
}

/** The model in the text of onnx.printer, which onnx.parser reads back. @throws OnnxError */
export function print(model: ModelSource, options: PrintOptions = {}): Promise<string> {
  const { exact = true } = options;
  return withModel(model, options, (bench) => bench.text(['print', exact ? 'exact' : 'short']));
}

/** What makes `outputs` out of `inputs`, as a model of its own. @throws OnnxError (invalid_argument) */
export function extract(model: ModelSource, options: ExtractOptions): Promise<Uint8Array> {
  const { inputs, outputs } = options;
  return withModel(model, options, (bench) =>
    withInference(async (inference) => {
      await bench.step(3);
      bench.bringExternalData();
      await bench.step();
      bench.call(['infer'], inference.report(bench).report);
      await bench.step();
      bench.call(['extract', String(inputs.length), ...inputs, ...outputs]);
      return bench.call(['bytes']);
    }),
  );
}

const countsIn = (bench: Workbench) => bench.json<{ operators: Record<string, number> }>(['count']).operators;

/**
 * Fewer nodes for the same outputs: what follows from constants and from shapes is computed, what does nothing is taken
 * out, what can be one node becomes one. The result is a model of the standard. @throws OnnxError
 */
export function simplify(model: ModelSource, options: SimplifyOptions = {}): Promise<SimplifyResult> {
  return withModel(model, options, (bench) =>
    withInference(async (inference) => {
      const before = countsIn(bench);
      const bytesBefore = bench.bytes;
      bench.bringExternalData();
      fixDimensions(bench, options);
      await simplifyIn(bench, inference, options);
      const simplified = bench.call(['bytes']);
      return { model: simplified, before, after: countsIn(bench), bytesBefore, bytesAfter: simplified.length };
    }),
  );
}

/**
 * The model under a newer version of ai.onnx, where that is a matter of names and of attributes that became inputs.
 * @throws OnnxError (invalid_argument) that names all nodes for which it is more
 */
export function convertOpset(model: ModelSource, version: number, options?: ModelOptions): Promise<Uint8Array> {
  return withModel(model, options, (bench) =>
    withInference(async (inference) => {
      await bench.step(2);
      bench.call(['infer'], inference.report(bench).report);
      await bench.step();
      bench.call(['convert', String(version)]);
      return bench.call(['bytes']);
    }),
  );
}

// sardonyx check, simplify, print, extract and convert: models that are looked at and changed, not run.
import { writeFile } from 'node:fs/promises';
import process from 'node:process';
import {
  check,
  convertOpset,
  extract,
  type Finding,
  type InferOptions,
  inferShapes,
  type ModelOptions,
  print as printModel,
  type SimplifyOptions,
  simplify,
} from '../tools.js';
import { failureOf, kExit, usage, writing } from './failure.js';
import { sizeOf } from './inputs.js';
import { bytesText, type Common, note, print, printJson, table } from './output.js';
import { type Progress, progress } from './progress.js';

/** Does a job with a bar for its steps. */
async function tool<T>(title: string, options: Common, job: (steps: ModelOptions) => Promise<T>): Promise<T> {
  let bar: Progress | undefined;
  const onStep: ModelOptions['onStep'] = ({ done, total }) => {
    bar ??= progress(title, total, options.json === true);
    bar.to(done);
  };
  try {
    return await job({ onStep });
  } catch (error) {
    throw failureOf(error, 'load');
  } finally {
    bar?.end();
  }
}

const write = (path: string, data: Uint8Array): Promise<void> => writing(path, () => writeFile(path, data));

const placeOf = ({ path, node }: Finding): string => (node?.name ? `${path} "${node.name}"` : path);

export async function checkCommand(path: string, options: Common): Promise<void> {
  const report = await tool('checking', options, (steps) => check(path, steps));
  if (!report.valid) process.exitCode = kExit.differs;
  if (options.json) return printJson({ model: path, ...report });
  for (const finding of report.findings) {
    print(`${finding.severity}: ${placeOf(finding)}`);
    print(`  ${finding.message} [${finding.code}]`);
  }
  if (report.leftOut > 0) print(`and ${report.leftOut} more`);
  const errors = report.findings.filter(({ severity }) => severity === 'error').length + report.leftOut;
  print(report.valid ? 'the model is valid' : `the model is not valid: ${errors} ${errors === 1 ? 'error' : 'errors'}`);
}

/** NAME=SIZE, and NAME=A,B,C. */
function named(items: readonly string[], what: string): [string, number[]][] {
  return items.map((item) => {
    const at = item.lastIndexOf('=');
    const sizes = item.slice(at + 1).split(',');
    if (at < 1 || !sizes.every((size) => /^\d+$/.test(size.trim()))) throw usage(`${item} is not ${what}`);
    return [item.slice(0, at), sizes.map((size) => sizeOf(size.trim(), item))];
  });
}

export interface ShapeOptions extends Common {
  readonly dim: readonly string[];
}

function dimsOf({ dim }: ShapeOptions): NonNullable<InferOptions['dims']> {
  const pairs = named(dim, 'NAME=SIZE, as in batch=1');
  return Object.fromEntries(pairs.map(([name, sizes]) => [name, sizes[0] as number]));
}

export interface SimplifyCommandOptions extends ShapeOptions {
  readonly shape: readonly string[];
  readonly limit?: number;
  readonly skip?: readonly string[];
}

function simplifyOptions(options: SimplifyCommandOptions): SimplifyOptions {
  const skip = (options.skip ?? []) as NonNullable<SimplifyOptions['skip']>;
  return {
    dims: dimsOf(options),
    inputShapes: Object.fromEntries(named(options.shape, 'INPUT=SIZES, as in image=1,3,224,224')),
    skip,
    ...(options.limit === undefined ? {} : { constantLimit: options.limit }),
  };
}

const total = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0);

export async function simplifyCommand(from: string, to: string, options: SimplifyCommandOptions): Promise<void> {
  const given = simplifyOptions(options);
  const result = await tool('simplifying', options, (steps) => simplify(from, { ...given, ...steps }));
  await write(to, result.model);
  const { before, after, bytesBefore, bytesAfter } = result;
  const nodes = { before: total(before), after: total(after) };
  if (options.json) {
    return printJson({
      model: from,
      output: to,
      nodes,
      operators: { before, after },
      bytes: { before: bytesBefore, after: bytesAfter },
    });
  }
  const rows = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((type) => [type, before[type] ?? 0, after[type] ?? 0] as const)
    .filter(([, was, is]) => was !== is)
    .sort(([a, ...x], [b, ...y]) => y[0] - y[1] - (x[0] - x[1]) || (a < b ? -1 : 1));
  if (rows.length > 0) print(table([['operator', 'before', 'after'], ...rows]));
  // inspect and stats have those as values.
  const [were = 0, are = 0] = [before.Constant, after.Constant];
  const constants = were + are > 0 ? ` (Constant: ${were} -> ${are})` : '';
  print(
    `nodes: ${nodes.before} -> ${nodes.after}${constants}; file: ${bytesText(bytesBefore)} -> ${bytesText(bytesAfter)}`,
  );
}

export interface PrintCommandOptions extends ShapeOptions {
  readonly infer?: boolean;
  readonly short?: boolean;
}

export async function printCommand(path: string, options: PrintCommandOptions): Promise<void> {
  const infers = options.infer === true || options.dim.length > 0;
  const dims = dimsOf(options);
  const model = infers ? await tool('inferring', options, (steps) => inferShapes(path, { dims, ...steps })) : path;
  const text = await tool('printing', options, () => printModel(model, { exact: options.short !== true }));
  if (options.json) return printJson({ model: path, text });
  print(text.trimEnd());
}

export interface ExtractCommandOptions extends Common {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

export async function extractCommand(from: string, to: string, options: ExtractCommandOptions): Promise<void> {
  const { inputs, outputs } = options;
  const part = await tool('extracting', options, (steps) => extract(from, { inputs, outputs, ...steps }));
  await write(to, part);
  if (options.json) return printJson({ model: from, output: to, inputs, outputs, bytes: part.length });
  print(`${to}: ${bytesText(part.length)}`);
}

export interface ConvertCommandOptions extends Common {
  readonly opset: number;
}

export async function convertCommand(from: string, to: string, options: ConvertCommandOptions): Promise<void> {
  const converted = await tool('converting', options, (steps) => convertOpset(from, options.opset, steps));
  await write(to, converted);
  note('convert changes names and moves attributes; compare shows whether both give the same');
  if (options.json) return printJson({ model: from, output: to, opset: options.opset, bytes: converted.length });
  print(`${to}: ${bytesText(converted.length)}, version ${options.opset} of ai.onnx`);
}

// sardonyx inspect and sardonyx stats: what a model's file says, and what running it takes.
import process from 'node:process';
import type { InferenceSession } from '../index.js';
import { Failure } from './failure.js';
import { describedByFile } from './file_metadata.js';
import { blamingRandom, type InputOptions, makeFeeds, noteAssumed } from './inputs.js';
import { withModel } from './model.js';
import { bytesText, type Common, note, print, printJson, shapeText, table, withCommas } from './output.js';

function portText(port: InferenceSession.ValueMetadata): string {
  if (!port.isTensor) return `  ${port.name}: ${port.description}`;
  return `  ${port.name}: ${shapeText(port.type, port.shape)}`;
}

const operatorsOf = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([opType, nodes]) => ({ opType, nodes }))
    .sort((a, b) => b.nodes - a.nodes || (a.opType < b.opType ? -1 : 1));

function printOperators(counts: Readonly<Record<string, number>>): void {
  const operators = operatorsOf(counts);
  print(
    `operators: ${operators.length}, nodes: ${operators.reduce((sum, { nodes }) => sum + nodes, 0)}, without Constant`,
  );
  print(table(operators.map(({ opType, nodes }) => [opType, nodes])));
}

function printMetadata(path: string, bytes: number, metadata: InferenceSession['metadata']): void {
  const producer = [metadata.producerName, metadata.producerVersion].filter(Boolean).join(' ');
  const opsets = Object.entries(metadata.opsets).map(([domain, version]) => `${domain} ${version}`);
  const rows: [string, string][] = [
    ['file', `${path}, ${bytesText(bytes)}`],
    ['producer', producer || '(not said)'],
    ['IR version', String(metadata.irVersion)],
    ['opsets', opsets.join(', ')],
    ['graph', metadata.graphName],
    ['domain', metadata.domain],
    ['model version', metadata.modelVersion ? String(metadata.modelVersion) : ''],
    ['description', metadata.description],
    ['parameters', withCommas(metadata.parameters)],
  ];
  for (const [name, text] of rows) if (text !== '') print(`${name}: ${text}`);
  const custom = Object.entries(metadata.custom);
  if (custom.length > 0) print('metadata');
  for (const [key, value] of custom) print(`  ${key}: ${value.length > 100 ? `${value.slice(0, 100)}...` : value}`);
}

/** What a session says of its model; where it cannot be loaded, what its file says. @throws Failure (exit code 3) */
async function inspected(path: string, quiet: boolean) {
  try {
    return await withModel(path, { threads: 1, quiet }, async ({ session, size }) => {
      const { metadata, inputMetadata: inputs, outputMetadata: outputs } = session;
      return { bytes: size, metadata, inputs, outputs, failure: undefined };
    });
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const file = await describedByFile(path).catch(() => {
      throw failure;
    });
    return { ...file, failure };
  }
}

export async function inspectCommand(path: string, options: Common): Promise<void> {
  const { bytes, metadata, inputs, outputs, failure } = await inspected(path, options.json === true);
  if (failure) {
    process.exitCode = failure.exitCode;
    note(`sardonyx: ${failure.message}`);
  }
  const { operators, ...rest } = metadata;
  if (options.json) {
    const error = failure && { error: { code: failure.code, message: failure.message } };
    printJson({ model: path, bytes, ...rest, inputs, outputs, operators: operatorsOf(operators), ...error });
    return;
  }
  printMetadata(path, bytes, metadata);
  print('inputs');
  for (const port of inputs) print(portText(port));
  print('outputs');
  for (const port of outputs) print(portText(port));
  printOperators(operators);
  if (failure) print('it cannot be loaded: this is what its file says');
}

export interface StatsOptions extends Common, InputOptions {
  readonly threads?: number;
}

export async function statsCommand(path: string, options: StatsOptions): Promise<void> {
  await withModel(path, { threads: options.threads, quiet: options.json === true, dim: options.dim }, async (model) => {
    const { session } = model;
    const made = await makeFeeds(session, { ...options, dim: model.dim });
    noteAssumed(made);
    await session.run(made.feeds).catch(blamingRandom(made));
    const memory = session.memory();
    const macs = session.macs();
    const { parameters, operators } = session.metadata;
    const { inputs, assumed } = made;
    if (options.json) {
      const shapes = inputs.map(({ name, type, dims }) => ({ name, type, dims }));
      const counts = { parameters, macs: macs ?? null, memory, operators: operatorsOf(operators) };
      printJson({ model: path, bytes: model.size, inputs: shapes, assumed, ...counts });
      return;
    }
    print(`file: ${bytesText(model.size)}`);
    print(`parameters: ${withCommas(parameters)}`);
    print(`multiply-adds of one run: ${macs === undefined ? 'not known' : withCommas(macs)}`);
    for (const { name, type, dims } of inputs) print(`  with ${name}: ${shapeText(type, dims)}`);
    print('memory');
    const purposes = {
      weights: 'constants, as in the file',
      packed: 'constants, as the kernels want them',
      arena: 'intermediate results',
      scratch: "the kernels' own",
      heap: "WebAssembly's whole heap",
    };
    print(table(Object.entries(purposes).map(([name, what]) => [name, bytesText(memory[name as 'heap']), what])));
    printOperators(operators);
  });
}

// sardonyx inspect and sardonyx stats: what a model's file says, and what running it takes.
import type { InferenceSession } from '../index.js';
import { blamingRandom, type InputOptions, makeFeeds, noteAssumed } from './inputs.js';
import { type LoadedModel, withModel } from './model.js';
import { bytesText, type Common, print, printJson, shapeText, table, withCommas } from './output.js';

function portText(port: InferenceSession.ValueMetadata): string {
  if (!port.isTensor) return `  ${port.name}: ${port.description}`;
  return `  ${port.name}: ${shapeText(port.type, port.shape)}`;
}

const operatorsOf = ({ session }: LoadedModel) =>
  Object.entries(session.metadata.operators)
    .map(([opType, nodes]) => ({ opType, nodes }))
    .sort((a, b) => b.nodes - a.nodes || (a.opType < b.opType ? -1 : 1));

function printOperators(model: LoadedModel): void {
  const operators = operatorsOf(model);
  print(
    `operators: ${operators.length}, nodes: ${operators.reduce((sum, { nodes }) => sum + nodes, 0)}, without Constant`,
  );
  print(table(operators.map(({ opType, nodes }) => [opType, nodes])));
}

function printMetadata(model: LoadedModel): void {
  const { metadata } = model.session;
  const producer = [metadata.producerName, metadata.producerVersion].filter(Boolean).join(' ');
  const opsets = Object.entries(metadata.opsets).map(([domain, version]) => `${domain} ${version}`);
  const rows: [string, string][] = [
    ['file', `${model.path}, ${bytesText(model.size)}`],
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

export async function inspectCommand(path: string, options: Common): Promise<void> {
  await withModel(path, { threads: 1, quiet: options.json === true }, async (model) => {
    const { metadata, inputMetadata, outputMetadata } = model.session;
    if (options.json) {
      const { operators: _, ...rest } = metadata;
      const ports = { inputs: inputMetadata, outputs: outputMetadata };
      printJson({ model: path, bytes: model.size, ...rest, ...ports, operators: operatorsOf(model) });
      return;
    }
    printMetadata(model);
    print('inputs');
    for (const port of inputMetadata) print(portText(port));
    print('outputs');
    for (const port of outputMetadata) print(portText(port));
    printOperators(model);
  });
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
    const { parameters } = session.metadata;
    const { inputs, assumed } = made;
    if (options.json) {
      const shapes = inputs.map(({ name, type, dims }) => ({ name, type, dims }));
      const counts = { parameters, macs: macs ?? null, memory, operators: operatorsOf(model) };
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
    printOperators(model);
  });
}

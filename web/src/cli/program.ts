// The commands and their options, as --help tells them.

import process from 'node:process';
import { Command, type CommanderError, InvalidArgumentError, Option } from 'commander';
import { env } from '../index.js';
import { Failure, kExit, usage } from './failure.js';
import { addTools } from './program_tools.js';

const kExitText = `
Exit codes: 0 good; 1 the outputs differ, a test fails, or a model is not valid; 2 wrong usage, or an input that does
not fit; 3 a file or model cannot be loaded or written; 4 the run failed.`;

const collected = (value: string, before: readonly string[]): readonly string[] => [...before, value];

function whole(least: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} on.`);
  };
}

function tolerance(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && value < Infinity) return value;
  throw new InvalidArgumentError('It must be a number from 0 on.');
}

function numbers(text: string): number[] {
  const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (values.every(Number.isFinite)) return values;
  throw new InvalidArgumentError('It must be a number, or numbers with commas between them.');
}

const kOptions = {
  input: () =>
    new Option(
      '-i, --input <NAME=FILE>',
      'value of an input: a .npy, .json or .png file, JSON itself, or one of the words random, zeros and ones',
    )
      .argParser(collected)
      .default([], 'random'),
  dim: () =>
    new Option('-d, --dim <NAME=SIZE>', 'size of an open dimension, by its name or as INPUT:AXIS')
      .argParser(collected)
      .default([], '1'),
  seed: () => new Option('--seed <N>', 'of the random values').argParser(whole(0)).default(0),
  mean: () => new Option('--mean <R,G,B>', '.png: (pixel / 255 - mean) / std').argParser(numbers),
  std: () => new Option('--std <R,G,B>', '.png: see --mean').argParser(numbers),
  threads: () => new Option('--threads <N>', 'threads to use (default: as many as are sensible)').argParser(whole(1)),
};

/** A command with the options that all have. Lines of examples that begin with # are remarks. */
function command(parent: Command, form: string, description: string, examples: string): Command {
  const lines = examples
    .trim()
    .replace(/^ */gm, '  $ ')
    .replace(/^ {2}\$ #/gm, '  #');
  return parent
    .command(form)
    .description(description)
    .addOption(new Option('--json', 'print one JSON object, and nothing else'))
    .addHelpText('after', `\nExamples:\n${lines}`);
}

const fed = (made: Command): Command => {
  for (const name of ['input', 'dim', 'seed', 'mean', 'std'] as const) made.addOption(kOptions[name]());
  return made;
};

function addRun(parent: Command): void {
  fed(
    command(
      parent,
      'run <model>',
      'run a model, and print a summary of its outputs',
      `
    # names, types and shapes of the inputs
    sardonyx inspect model.onnx
    # does it run at all? Inputs that are not given are random, dimensions that are open are 1
    sardonyx run model.onnx
    sardonyx run model.onnx --dim batch=4 --repeat 20
    # a picture, scaled as torchvision's models want it; several inputs, one of them written here as JSON
    sardonyx run model.onnx --input image=cat.png --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225
    sardonyx run bert.onnx --input 'input_ids=[[101,7592,102]]' --input attention_mask=ones --input token_type_ids=zeros
    # a model with a state (silero's voice activity): zeros first, then what the call before has written
    sardonyx run silero_vad.onnx -i input=first.npy -i sr=16000 -i state=zeros --output out
    sardonyx run silero_vad.onnx -i input=next.npy -i sr=16000 -i state=out/stateN.npy --output out
    # where the time goes, nodes of loops and branches included
    sardonyx run model.onnx --input x=x.npy --profile trace.json`,
    ),
  )
    .option('-o, --output <DIR>', 'write each output to a .npy file in this folder')
    .addOption(kOptions.threads())
    .option('--profile <FILE>', 'write a Chrome trace of the last run, and print the time by operator')
    .addOption(new Option('--repeat <N>', 'run so many times').argParser(whole(1)).default(1))
    .action(async (model, options) => (await import('./command_run.js')).runCommand(model, options));
}

function addInspect(parent: Command): void {
  command(
    parent,
    'inspect <model>',
    'print what a model is: inputs, outputs, operators, opsets, metadata',
    `
    sardonyx inspect model.onnx
    sardonyx inspect model.onnx --json`,
  ).action(async (model, options) => (await import('./command_inspect.js')).inspectCommand(model, options));
  fed(
    command(
      parent,
      'stats <model>',
      'run a model once, and print what that takes: multiply-adds, memory by purpose',
      `
    sardonyx stats model.onnx --dim batch=8
    # multiply-adds are those of matrix products, convolutions, attention and recurrent layers
    sardonyx stats bert.onnx --dim sequence=128 --json`,
    ),
  )
    .addOption(kOptions.threads())
    .action(async (model, options) => (await import('./command_inspect.js')).statsCommand(model, options));
}

function addBench(parent: Command): void {
  fed(
    command(
      parent,
      'bench <model>',
      'measure how long a run takes',
      `
    sardonyx bench model.onnx --runs 50
    sardonyx bench model.onnx --vs onnxruntime-web --threads 2`,
    ),
  )
    .option('--vs <runtime>', 'run in turn with onnxruntime-web, which your project must have installed')
    .addOption(new Option('--runs <N>', 'runs that count, after two that do not').argParser(whole(1)).default(20))
    .addOption(new Option('--threads <N>', 'threads, of each runtime').argParser(whole(1)).default(1))
    .action(async (model, options) => (await import('./command_bench.js')).benchCommand(model, options));
}

function addCompare(parent: Command): void {
  fed(
    command(
      parent,
      'compare <a> <b>',
      'run two models on the same inputs, and name the first node that differs; exit code 1 where an output does',
      `
    sardonyx compare model.onnx quantised.onnx --rtol 0.01
    sardonyx compare before.onnx after.onnx --input x=x.npy`,
    ),
  )
    .addOption(new Option('--rtol <X>', 'allowed share of |b|').argParser(tolerance).default(1e-3))
    .addOption(new Option('--atol <X>', 'allowed besides').argParser(tolerance).default(1e-5))
    .option('--no-nodes', 'do not look for the first node that differs')
    .addOption(kOptions.threads())
    .action(async (a, b, options) => (await import('./command_compare.js')).compareCommand(a, b, options));
  command(
    parent,
    'test <dir>',
    'run a model on test data: DIR has a model.onnx, and in test_data_set_N input_K.pb and output_K.pb',
    `
    sardonyx test onnx/backend/test/data/node/test_abs
    sardonyx test onnx/backend/test/data/node`,
  )
    .addOption(new Option('--rtol <X>', 'allowed share of the expected value (default: 0.001)').argParser(tolerance))
    .addOption(new Option('--atol <X>', 'allowed besides (default: 1e-7)').argParser(tolerance))
    .addOption(kOptions.threads())
    .action(async (folder, options) => (await import('./command_test.js')).testCommand(folder, options));
}

// commander's own errors are wrong usage; --help and --version end well.
function ended(error: CommanderError): never {
  if (error.exitCode === 0) process.exit(kExit.good);
  if (error.code === 'commander.help') {
    const [, , first, second] = process.argv;
    throw usage(first === 'help' ? `unknown command '${second}'` : 'a command is missing');
  }
  if (error.code === 'commander.unknownOption' && process.argv.slice(2).every((arg) => arg === '--json'))
    throw usage('a command is missing');
  throw new Failure('usage', error.message.replace(/^error: /, '').replace(/\s+/g, ' '), kExit.usage);
}

export function program(): Command {
  const root = new Command('sardonyx')
    .description('Looks at ONNX models, checks, simplifies, runs, compares and measures them, on this machine.')
    .version(env.versions.sardonyx)
    .exitOverride(ended)
    .configureOutput({ outputError: () => {} })
    .showSuggestionAfterError()
    .addHelpText('after', `${kExitText}\n\nsardonyx COMMAND --help has examples of each command.`);
  for (const add of [addRun, addInspect, addBench, addCompare]) add(root);
  addTools(root, command);
  return root;
}

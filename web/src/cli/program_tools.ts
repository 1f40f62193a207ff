// The commands that look at models and change them, and their options, as --help tells them.
import { type Command, InvalidArgumentError, Option } from 'commander';

type MakeCommand = (parent: Command, usage: string, description: string, examples: string) => Command;

const collected = (value: string, before: readonly string[]): readonly string[] => [...before, value];
const list = (text: string): string[] => text.split(',').filter(Boolean);

function whole(text: string): number {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

function parts(text: string): string[] {
  const wrong = list(text).find((part) => !['fold', 'infer', 'remove', 'merge'].includes(part));
  if (wrong === undefined) return list(text);
  throw new InvalidArgumentError(`There is no ${wrong}; there are fold, infer, remove and merge.`);
}

const dim = () =>
  new Option('-d, --dim <NAME=SIZE>', 'size of an open dimension, by its name')
    .argParser(collected)
    .default([], 'open');

function addSimplify(parent: Command, command: MakeCommand): void {
  command(
    parent,
    'simplify <in> <out>',
    'write a model with fewer nodes and the same outputs: constants and shapes computed, no-ops taken out, nodes merged',
    `
    sardonyx simplify model.onnx simple.onnx
    sardonyx simplify model.onnx simple.onnx --shape image=1,3,224,224
    sardonyx simplify model.onnx simple.onnx --dim batch=1 --limit 10000000
    sardonyx compare model.onnx simple.onnx`,
  )
    .addOption(dim())
    .addOption(
      new Option('--shape <INPUT=SIZES>', 'fix the shape of an input').argParser(collected).default([], 'as declared'),
    )
    .addOption(
      new Option('--limit <BYTES>', 'leave constants that become larger uncomputed (default: 1048576)').argParser(
        whole,
      ),
    )
    .addOption(new Option('--skip <PARTS>', 'leave out: fold, infer, remove, merge').argParser(parts))
    .action(async (from, to, options) => (await import('./command_tools.js')).simplifyCommand(from, to, options));
}

function addCheck(parent: Command, command: MakeCommand): void {
  command(
    parent,
    'check <model>',
    'print all that is wrong with a model, and where; exit code 1 where something is',
    `
    sardonyx check model.onnx
    sardonyx check model.onnx --json`,
  ).action(async (model, options) => (await import('./command_tools.js')).checkCommand(model, options));
  command(
    parent,
    'print <model>',
    'print a model as text, which onnx.parser reads back',
    `
    sardonyx print model.onnx
    sardonyx print model.onnx --infer | grep Conv
    sardonyx print model.onnx --dim batch=4`,
  )
    .addOption(dim())
    .option('--infer', 'with the types and shapes of all values')
    .option('--short', 'floats in six digits, as onnx.printer has them')
    .action(async (model, options) => (await import('./command_tools.js')).printCommand(model, options));
}

function addChanges(parent: Command, command: MakeCommand): void {
  command(
    parent,
    'extract <in> <out>',
    'write the part of a model that makes some values out of others',
    `
    # the names of all values
    sardonyx print model.onnx --infer
    sardonyx extract model.onnx head.onnx --inputs features --outputs boxes,scores`,
  )
    .addOption(new Option('--inputs <NAMES>', 'values that become inputs').argParser(list).makeOptionMandatory())
    .addOption(new Option('--outputs <NAMES>', 'values that become outputs').argParser(list).makeOptionMandatory())
    .action(async (from, to, options) => (await import('./command_tools.js')).extractCommand(from, to, options));
  command(
    parent,
    'convert <in> <out>',
    'write a model under a newer version of ai.onnx, where names and places of attributes are all that changes',
    `
    sardonyx convert model.onnx newer.onnx --opset 18
    sardonyx compare model.onnx newer.onnx`,
  )
    .addOption(new Option('--opset <VERSION>', 'of ai.onnx').argParser(whole).makeOptionMandatory())
    .action(async (from, to, options) => (await import('./command_tools.js')).convertCommand(from, to, options));
}

export function addTools(parent: Command, command: MakeCommand): void {
  for (const add of [addCheck, addSimplify, addChanges]) add(parent, command);
}

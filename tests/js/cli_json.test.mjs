// --json: every command prints one object with the fields that docs/CLI.md names, and nothing else; errors too.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { sardonyx, workFolder } from './cli_program.mjs';
import { goodModel } from './make_model.mjs';

const work = workFolder();
after(work.remove);
const model = work.put('model.onnx', goodModel());
const out = work.path('out.onnx');
mkdirSync(work.path('empty'));

const kArguments = {
  run: [model],
  inspect: [model],
  stats: [model],
  check: [model],
  simplify: [model, out],
  print: [model],
  extract: [model, out, '--inputs', 'x', '--outputs', 'sum'],
  convert: [model, out, '--opset', '18'],
  bench: [model, '--runs', '1'],
  compare: [model, model],
  test: [work.path('empty')],
};

/** The names of the fields that docs/CLI.md has for a command, without those that are optional. */
function documented(command) {
  const docs = readFileSync(new URL('../../docs/CLI.md', import.meta.url), 'utf8');
  const shape = new RegExp(`^\\| \`${command}\` \\| \`\\{(.*)\\}\` \\|$`, 'm').exec(docs)?.[1];
  assert.ok(shape, `docs/CLI.md has no row of ${command}`);
  // What is within further brackets is of the fields' own.
  let outer = shape;
  for (let before = ''; before !== outer; ) {
    before = outer;
    outer = outer.replace(/\([^()]*\)|\{[^{}]*\}|\[[^[\]]*\]/g, '');
  }
  const names = outer.split(',').map((field) => field.split(':')[0].trim());
  return names.filter((name) => name !== '' && !name.endsWith('?'));
}

test('every command of the program is here', async () => {
  const { stdout } = await sardonyx(['--help']);
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) [[<]/gm)].map(([, name]) => name);
  assert.deepEqual(commands.filter((name) => name !== 'help').sort(), Object.keys(kArguments).sort());
});

for (const [command, args] of Object.entries(kArguments)) {
  test(`${command} --json`, async () => {
    const { code, stdout, json } = await sardonyx([command, ...args, '--json']);
    const object = json();
    if (command === 'test') {
      // A folder without a model is an error; cli_data.test.mjs has folders with one.
      assert.equal(code, 3, stdout);
      assert.deepEqual(Object.keys(object), ['error']);
      return;
    }
    assert.equal(code, 0, stdout);
    for (const name of documented(command)) assert.ok(name in object, `${name}: ${Object.keys(object)}`);
    const absent = args.map((arg) => (arg === model ? work.path('absent.onnx') : arg));
    const failed = await sardonyx([command, ...absent, '--json']);
    assert.equal(failed.code, 3);
    const { error } = failed.json();
    assert.deepEqual([typeof error.code, typeof error.message], ['string', 'string']);
    assert.match(error.message, /absent\.onnx/);
    assert.doesNotMatch(failed.stderr, /^\s+at /m);
  });
}

// The bars of the command line on a terminal (a pseudo-terminal of util-linux's `script`): they are drawn there, leave nothing behind,
// and are never in what is piped.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { kMain, sardonyx, workFolder } from './cli_program.mjs';
import { goodModel } from './make_model.mjs';

const work = workFolder();
after(work.remove);
const model = work.put('model.onnx', goodModel());
const cut = work.put('cut.onnx', goodModel().subarray(0, 100));
const out = work.path('out.onnx');
const absent = !spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');
const skip = absent && 'script of util-linux is not here';
const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;
const kEscape = '\x1b';

/**
 * Runs `sardonyx ...args` on a terminal of `columns`: {code, text} with all that was written to it, escapes included. With `to`,
 * stdout goes to that file, and only stderr is the terminal; with `interrupt`, Ctrl-C is typed once the text matches.
 */
function onTerminal(args, { columns = 80, to, interrupt } = {}) {
  const program = [process.execPath, kMain, ...args].map(quoted).join(' ');
  const command = `stty cols ${columns} rows 24; exec ${program}${to ? ` > ${quoted(to)}` : ''}`;
  return new Promise((resolve) => {
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null']);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (data) => {
      text += data;
      if (interrupt?.test(text)) {
        child.stdin.write('\x03');
        interrupt = undefined;
      }
    });
    child.on('close', (code) => resolve({ code, text }));
  });
}

/** What a terminal shows after `text`, line by line; an escape that bars have no use for is an error. */
function screen(text, columns) {
  const lines = [''];
  let [row, column] = [0, 0];
  let saved = [0, 0];
  const tokens = text.match(new RegExp(`${kEscape}(?:[78]|\\[[?\\d;]*[A-Za-z])|[\\s\\S]`, 'g')) ?? [];
  for (const token of tokens) {
    if (token === '\r') column = 0;
    else if (token === '\n') lines[++row] ??= '';
    else if (token === `${kEscape}7`) saved = [row, column];
    else if (token === `${kEscape}8`) [row, column] = saved;
    else if (/\[1?G$/.test(token)) column = 0;
    else if (/\[0?K$/.test(token)) lines[row] = lines[row].slice(0, column);
    else if (token.endsWith('[2K')) lines[row] = '';
    else {
      assert.notEqual(token[0], kEscape, JSON.stringify(token));
      if (column === columns) {
        row += 1;
        column = 0;
        lines[row] ??= '';
      }
      lines[row] = lines[row].padEnd(column).slice(0, column) + token + lines[row].slice(column + 1);
      column += 1;
    }
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

const kCommands = {
  loading: ['inspect', model],
  running: ['run', model, '--repeat', '30'],
  measuring: ['bench', model, '--runs', '30'],
  checking: ['check', model],
  simplifying: ['simplify', model, out],
};
// Times are other ones each time.
const timeless = (text) => text.replace(/[\d.]+ +ms|[\d.]+/g, '#').replace(/ +/g, ' ');

for (const [title, args] of Object.entries(kCommands)) {
  for (const columns of [80, 30]) {
    test(`${title}: a bar that goes away, ${columns} columns`, { skip }, async () => {
      const { code, text } = await onTerminal(args, { columns });
      assert.equal(code, 0, text);
      const shares = [...text.matchAll(new RegExp(`\\x1b\\[1G(${title} \\[[^\\x1b]*)`, 'g'))].map(([, bar]) => bar);
      assert.ok(shares.length >= 2, JSON.stringify(text));
      assert.ok(
        shares.every((bar) => bar.length <= columns),
        shares.join('\n'),
      );
      // How much there is to simplify is not known before; the bar goes once there is no more.
      if (columns === 80 && title !== 'simplifying') assert.match(shares.at(-1), /=\] 100%/);
      const shown = screen(text, columns);
      assert.doesNotMatch(shown, /loading|\[[=-]+|%\s+\ds/);
      // What is left is what a pipe gets.
      const { stdout } = await sardonyx(args);
      if (columns === 80) assert.equal(timeless(shown.trim()), timeless(stdout.trim()));
    });
  }
}

test('no bar where stderr is piped, none with --json, and no control characters in what is read by programs', {
  skip,
}, async () => {
  for (const args of Object.values(kCommands)) {
    const piped = await sardonyx(args);
    assert.equal(piped.code, 0, piped.stderr);
    assert.doesNotMatch(piped.stdout + piped.stderr, /[^\n\x20-\x7e]|\[[=-]{3}/);
    const to = work.path('stdout.json');
    const json = await onTerminal([...args, '--json'], { to });
    assert.deepEqual(json, { code: 0, text: '' });
    const stdout = readFileSync(to, 'utf8');
    assert.doesNotMatch(stdout, /[^\n\x20-\x7e]/);
    assert.equal(typeof JSON.parse(stdout), 'object');
    // Results in a file, with the bar on the terminal.
    const text = await onTerminal(args, { to });
    assert.match(text.text, /\[=*-*\]/);
    assert.doesNotMatch(readFileSync(to, 'utf8'), /[^\n\x20-\x7e]/);
  }
});

test('an error takes the place of its bar', { skip }, async () => {
  const { code, text } = await onTerminal(['run', cut]);
  assert.equal(code, 3);
  assert.match(text, /loading \[/);
  assert.match(screen(text, 1e9).trim(), /^sardonyx: [^\n]*cut\.onnx: the model is truncated[^\n]*$/);
});

test('Ctrl-C ends a run with its bar, and leaves the terminal as it was', { skip }, async () => {
  const { code, text } = await onTerminal(['run', model, '--repeat', '1000000'], {
    interrupt: /running \[[=-]+\] [\d]+%/,
  });
  assert.equal(code, 130, text.slice(-200));
  // Neither the cursor is hidden nor long lines are cut: there is nothing to set back.
  assert.ok(!text.includes(`${kEscape}[?`), JSON.stringify(text.slice(0, 200)));
  assert.doesNotMatch(screen(text, 80), /Error|\n {4}at /);
});

#!/usr/bin/env node
// npx sardonyx: the command line.
import process from 'node:process';
import { Failure, kExit, reasonOf } from './failure.js';
import { printJson } from './output.js';
import { program } from './program.js';

// Whoever reads the output may stop reading (head, less): then there is nothing left to do.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    // Nothing can be said on the stream that failed.
    if (stream === process.stdout) process.stderr.write(`sardonyx: cannot write the output: ${reasonOf(error)}\n`);
    process.exit(kExit.load);
  });
}

try {
  await program().parseAsync();
} catch (error) {
  const failure =
    error instanceof Failure ? error : new Failure('internal', `this is a bug: ${String(error)}`, kExit.run);
  const { code, message, exitCode } = failure;
  process.stderr.write(`sardonyx: ${message}\n`);
  if (process.argv.includes('--json')) printJson({ error: { code, message } });
  process.exitCode = exitCode;
}

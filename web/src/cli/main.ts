#!/usr/bin/env node
// npx sardonyx: the command line.
import process from 'node:process';
import { Failure, kExit } from './failure.js';
import { printJson } from './output.js';
import { program } from './program.js';

// Whoever reads the output may stop reading (head, less): then there is nothing left to do.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
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

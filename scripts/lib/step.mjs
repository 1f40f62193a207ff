// Runs the long commands of the scripts: one heading each, a sign of life while it runs, its log if it fails.
import { spawn } from 'node:child_process';

const HEARTBEAT_MS = 10_000;
const SHOWN_LOG_LINES = 80;

/** A command that failed; its log has been printed. The scripts end with exit code 1 and say nothing more. */
export class StepError extends Error {}

export function say(text) {
  process.stdout.write(`${text}\n`);
}

/** Seconds since `start` (performance.now()), as text. */
export function seconds(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/**
 * Runs a command to its end and gives back what it printed.
 * Quiet: prints `title`, then every ten seconds its last line, then the time it took; its whole log only if it fails.
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {{env?: object, cwd?: string, live?: boolean, allowFailure?: boolean}} [options]
 *   live: show its output as it comes; allowFailure: an exit code other than 0 is the caller's to judge
 * @returns {Promise<{code: number, output: string}>}
 * @throws {StepError}
 */
export async function step(title, command, args, options = {}) {
  const start = performance.now();
  say(`- ${title}`);
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const take = (chunk) => {
    output += chunk;
    if (options.live) process.stdout.write(chunk);
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const heartbeat = setInterval(() => {
    if (!options.live) say(`  ... ${seconds(start)}  ${lastLine(output)}`);
  }, HEARTBEAT_MS);
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      output += `${error.message}\n`;
      resolve(127);
    });
    child.on('close', (status, signal) => resolve(status ?? `signal ${signal}`));
  });
  clearInterval(heartbeat);
  if (code !== 0 && !options.allowFailure) {
    if (!options.live) say(output.trimEnd().split('\n').slice(-SHOWN_LOG_LINES).join('\n'));
    say(`FAILED (${code}): ${title}\n  ${[command, ...args].join(' ')}`);
    throw new StepError(title);
  }
  say(`  ${code === 0 ? 'done' : `exit ${code}`} in ${seconds(start)}`);
  return { code, output };
}

/** Runs a script's main function; an error ends it with exit code 1. */
export async function main(run) {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof StepError)) say(`error: ${error instanceof SetupError ? error.message : error.stack}`);
    process.exitCode = 1;
  }
}

/** Something that this machine lacks; the message says what and how to get it. */
export class SetupError extends Error {}

function lastLine(output) {
  const line =
    output
      .trimEnd()
      .split(/[\n\r]/)
      .at(-1) ?? '';
  return line.length > 100 ? `${line.slice(0, 97)}...` : line;
}

// Bars on stderr for long work; nothing where stderr is no terminal.
import process from 'node:process';
import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  to(done: number): void;
  end(): void;
}

/** A bar for `total` steps, or one without an end where it is undefined. */
export function progress(title: string, total: number, quiet = false): Progress {
  if (quiet || !process.stderr.isTTY || total <= 0) return { to() {}, end() {} };
  const bar = new SingleBar(
    {
      format: `${title} [{bar}] {percentage}%  {eta_formatted}`,
      stream: process.stderr,
      clearOnComplete: true,
      // Ctrl-C keeps its usual effect, also while WebAssembly has the thread; so the terminal's settings stay as they are.
      gracefulExit: false,
      hideCursor: null as unknown as boolean,
      linewrap: true,
      etaBuffer: 20,
    },
    Presets.legacy,
  );
  bar.start(total, 0);
  return { to: (done) => bar.update(Math.min(done, total)), end: () => bar.stop() };
}

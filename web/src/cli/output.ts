// What is printed: results on stdout, as text or as JSON; everything else on stderr.
import process from 'node:process';

/** Options that every command has. */
export interface Common {
  readonly json?: boolean;
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A remark: what was assumed, or converted. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

// JSON has neither NaN and infinities nor large integers: they become text.
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
  return value;
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, plain, 2));
}

/** Columns as wide as their widest cell; numbers, and what looks like them, to the right. */
export function table(rows: readonly (readonly (string | number)[])[], indent = '  '): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, String(cell).length);
  }
  const line = (row: readonly (string | number)[]) => {
    const cells = row.map((cell, i) => {
      const text = String(cell);
      const right = typeof cell === 'number' || /^[-+]?[\d.,]+(e[-+]\d+)?( ?(%|ms|[KMG]?B))?$/.test(text);
      return right ? text.padStart(widths[i] as number) : text.padEnd(widths[i] as number);
    });
    return `${indent}${cells.join('  ')}`.trimEnd();
  };
  return rows.map(line).join('\n');
}

/** 1234567 as 1,234,567. */
export const withCommas = (n: number): string => n.toLocaleString('en-US');

/** 1.23 MB; the units are of 1000. */
export function bytesText(n: number): string {
  if (n < 1000) return `${n} B`;
  const [unit, size] = n < 1e6 ? ['KB', 1e3] : n < 1e9 ? ['MB', 1e6] : ['GB', 1e9];
  return `${(n / (size as number)).toFixed(2)} ${unit}`;
}

/** A number of a tensor in at most six digits. */
export function numberText(x: number | bigint | string): string {
  if (typeof x === 'string') return JSON.stringify(x);
  return typeof x === 'bigint' || Number.isInteger(x) ? String(x) : String(Number(x.toPrecision(6)));
}

export const milliseconds = (ms: number): string => `${ms.toFixed(ms < 10 ? 3 : ms < 100 ? 2 : 1)} ms`;

export const shapeText = (type: string, dims: readonly (number | string)[]): string =>
  `${type}[${dims.map((dim) => (dim === '' ? '?' : dim)).join(', ')}]`;

// Options by names that nobody reads: where one is near to another's name, the console says so, once. Programs for other
// runtimes may pass what does not exist here. Loaded where there is such a name (options.ts).
import { env } from './env.js';

const said = new Set<string>();

/** Letters to insert, to leave out or to change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const far = (other: string) => {
    const [a, b] = [name.toLowerCase(), (other.split('.').at(-1) as string).toLowerCase()];
    const part = a.length >= 6 && (b.includes(a) || a.includes(b));
    return Math.min(distance(a, b), part ? 1 : Infinity);
  };
  const most = name.length < 5 ? 1 : 2;
  return known.filter((other) => far(other) <= most).sort((a, b) => far(a) - far(b))[0];
}

// Of onnxruntime-web, and near to a name of here.
const kForeign = ['webnn'];
// What is looked for in another place.
const kElsewhere = ['numThreads', 'wasmPaths', 'wasmBinary', 'proxy', 'simd'].map((name) => `env.wasm.${name}`);

/** @param where "session option", "env.wasm"; known: the names that are there */
export function warnOfNames(where: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    const place = `${where} ${name}`;
    if (known.includes(name) || kForeign.includes(name) || said.has(place)) continue;
    const meant = nearest(name, where === 'env.wasm' ? known : [...known, ...kElsewhere]);
    if (meant === undefined) continue;
    said.add(place);
    if (env.logLevel === 'error' || env.logLevel === 'fatal') continue;
    console.warn(`sardonyx: there is no ${where} "${name}", it is ignored: is "${meant}" meant?`);
  }
}

// What takes the bytes of the plain wasm module, by family and by file, from the map that its link wrote:
//   node scripts/size-by-family.mjs [--files N] [--markdown]
// The map is of the code as it was linked; what wasm-opt takes off afterwards is spread over all of it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/paths.mjs';

const kBuild = join(root, 'build', 'wasm-simd');
const kFamilies = [
  ['operators', /^libsardonyx_ops/],
  ['kernels', /^libsardonyx_kernels/],
  ['loader', /^libsardonyx_onnx/],
  ['graph passes and gradients', /^libsardonyx_optimize/],
  ['plan, memory, sessions', /^libsardonyx_(runtime|graph|base)/],
  ['border to JavaScript', /^(bindings|js_\w+)\.cpp\.o|^libembind/],
  ['protobuf-lite', /^libprotobuf/],
  ['C and C++ libraries', /^lib(c|c\+\+|dlmalloc|compiler_rt|unwind|stubs|sockets|noexit|al|html5)/],
];

/** [archive(object), bytes] of every section of code or data in a map of wasm-ld. */
export function sectionsOf(map) {
  const sections = [];
  let kind = '';
  for (const line of map.split('\n')) {
    const [, size, rest] = /^\s*\S+\s+[0-9a-f]+\s+([0-9a-f]+) (.*)$/.exec(line) ?? [];
    if (rest === undefined) continue;
    if (/^[A-Z]/.test(rest)) kind = rest;
    // Objects stand one step further in than what they hold.
    const object = /^ {8}(\S+?):\(/.exec(rest)?.[1];
    if (object && (kind === 'CODE' || kind === 'DATA'))
      sections.push([object.replace(/.*\//, ''), Number.parseInt(size, 16)]);
  }
  return sections;
}

function sums(pairs) {
  const all = new Map();
  for (const [key, size] of pairs) all.set(key, (all.get(key) ?? 0) + size);
  return [...all].sort((a, b) => b[1] - a[1]);
}

if (import.meta.filename === process.argv[1]) {
  const { values: options } = parseArgs({
    options: { files: { type: 'string', default: '0' }, markdown: { type: 'boolean' } },
  });
  const file = join(kBuild, 'sardonyx.map');
  if (!existsSync(file)) throw new Error('there is no map: run npm run build first');
  const sections = sectionsOf(readFileSync(file, 'utf8'));
  const total = sections.reduce((sum, [, size]) => sum + size, 0);
  const module = statSync(join(kBuild, 'sardonyx.wasm')).size;
  const family = ([object]) => kFamilies.find(([, pattern]) => pattern.test(object))?.[0] ?? 'other';
  const row = (name, size) => {
    const cells = [
      name,
      `${((100 * size) / total).toFixed(1)} %`,
      Math.round((module * size) / total).toLocaleString('en-US'),
    ];
    return options.markdown
      ? `| ${cells.join(' | ')} |`
      : `${cells[0].padEnd(56)} ${cells[1].padStart(7)} ${cells[2].padStart(10)}`;
  };
  if (options.markdown) console.log('| | share | of the module, bytes |\n|---|---|---|');
  for (const [name, size] of sums(sections.map((s) => [family(s), s[1]]))) console.log(row(name, size));
  for (const [name, size] of sums(sections).slice(0, Number(options.files))) console.log(row(name, size));
}

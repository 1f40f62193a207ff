// Enforces ARCHITECTURE.md's arrows: what the files of each folder of src/ (and bindings/) may include.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';

// Folder -> the folders that its files may include, besides its own.
const mayInclude = {
  base: [],
  kernels: [],
  codecs: ['base'],
  graph: ['base'],
  onnx: ['base', 'graph'],
  ops: ['base', 'graph', 'kernels'],
  optimize: ['base', 'graph', 'ops', 'kernels'],
  runtime: ['base', 'graph', 'ops', 'kernels', 'optimize', 'onnx'],
  tools: ['base', 'graph', 'onnx'],
  bindings: ['base', 'graph', 'onnx', 'runtime'],
};
// Headers that only one place may see, each with that place and the reason.
const reserved = [
  {
    header: /\.pb\.h$|^google\/protobuf\//,
    allowed: /^src\/(onnx|tools)\//,
    why: 'protobuf stays inside src/onnx and src/tools',
  },
  { header: /^emscripten/, allowed: /^bindings\//, why: 'only the border knows Emscripten' },
  { header: /wasm_simd128\.h$|^simde\//, allowed: /^src\/kernels\/simd\.h$/, why: 'SIMD comes through kernels/simd.h' },
  { header: /^(iostream|regex|locale|format)$/, allowed: /^$/, why: 'too large for what it gives' },
];

/** @returns {string[]} what is wrong with the includes of one file; `path` is relative to the clone */
export function problemsOf(path, text) {
  const [first, second] = path.split('/');
  const folder = first === 'src' ? second : first;
  const allowed = mayInclude[folder];
  if (!allowed) return [`${path}: no such folder in the layering: ${folder}`];
  const problems = [];
  for (const [i, line] of text.split('\n').entries()) {
    const include = /^\s*#\s*include\s*([<"])([^>"]+)[>"]/.exec(line);
    if (!include) continue;
    const [, quote, header] = include;
    const say = (why) => problems.push(`${path}:${i + 1}: ${header}: ${why}`);
    for (const rule of reserved) if (rule.header.test(header) && !rule.allowed.test(path)) say(rule.why);
    if (quote !== '"') continue;
    const target = header.split('/')[0];
    if (target.endsWith('.pb.h') || (folder === 'bindings' && target === header)) continue;
    if (!(target in mayInclude)) say('includes are written from src/, as in "base/tensor.h"');
    else if (target !== folder && !allowed.includes(target)) say(`${folder} must not include ${target}`);
  }
  return problems;
}

/** @returns {{files: number, problems: string[]}} of the whole clone */
export function checkLayering() {
  const files = ['src', 'bindings'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true })
      .filter((name) => /\.(h|cpp)$/.test(name))
      .map((name) => `${top}/${name}`),
  );
  const problems = files.flatMap((path) => problemsOf(path, readFileSync(join(root, path), 'utf8')));
  return { files: files.length, problems };
}

if (import.meta.filename === process.argv[1]) {
  const { files, problems } = checkLayering();
  for (const problem of problems) console.log(problem);
  console.log(`layering: ${files} files, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}

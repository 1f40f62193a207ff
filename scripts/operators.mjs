// Writes docs/OPERATORS.md from the tables of src/ops and docs/operators.json: node scripts/operators.mjs [--check]
//   --check  only say whether it is stale
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');
const kTarget = 'docs/OPERATORS.md';

/** @returns {Map<string, number[]>} operator (with its domain, where that is not ai.onnx) -> versions in the tables */
export function implementedOperators() {
  const registry = read('src/ops/registry.cpp');
  const domains = new Map([...registry.matchAll(/(k\w+) = "([\w.]+)";/g)].map((m) => [m[1], `${m[2]}.`]));
  const families = new Map(
    [...registry.matchAll(/\{(""|k\w+), (\w+_ops)\}/g)].map((m) => [m[2], domains.get(m[1]) ?? '']),
  );
  const operators = new Map();
  const files = readdirSync(join(root, 'src/ops'), { recursive: true }).filter((name) => name.endsWith('.cpp'));
  for (const file of files) {
    const text = read(`src/ops/${file}`);
    const family = /OpEntry> (\w+_ops)\(\)/.exec(text)?.[1];
    if (!family) continue;
    for (const [, name, since] of text.matchAll(/\{\s*"(\w+)",\s*(\d+),/g)) {
      const key = families.get(family) + name;
      operators.set(key, [...(operators.get(key) ?? []), Number(since)]);
    }
  }
  operators.set('ai.onnx.preview.training.Gradient', [1]); // written out by optimize/gradient.cpp
  operators.set('Constant', [1]); // what the loader takes for a weight
  for (const versions of operators.values()) versions.sort((a, b) => a - b);
  return operators;
}

function peerNote(entry) {
  if (!entry.peer) return '';
  const [cases, failures] = entry.peer;
  if (failures === 0) return '';
  return failures === cases ? `all ${cases} cases` : `${failures} of ${cases} cases`;
}

const isContributed = (name) => name.startsWith('com.microsoft.') || name === 'SimplifiedLayerNormalization';

// The names of those that the standard does not have, in lines.
function contributed(operators) {
  const list = [...operators.keys()].filter(isContributed).map((name) => name.replace('com.microsoft.', ''));
  const lines = [''];
  for (const name of list.sort()) {
    const last = lines.at(-1);
    if (last.length + name.length > 116) lines.push(`${name}, `);
    else lines[lines.length - 1] = `${last}${name}, `;
  }
  return lines
    .map((line) => line.trimEnd())
    .map((line, i) => (i === lines.length - 1 ? line.replace(/,$/, '.') : line));
}

/** The whole text of docs/OPERATORS.md. */
export function operatorsPage() {
  const data = JSON.parse(read('docs/operators.json'));
  const operators = implementedOperators();
  const names = Object.keys(data).sort();
  const rows = names.map((name) => {
    const versions = operators.get(name)?.join(', ') ?? 'missing';
    return `| ${name} | ${versions} | ${data[name].types} | ${peerNote(data[name])} |`;
  });
  const there = names.filter((name) => operators.has(name)).length;
  return [
    '# Operators',
    '',
    `Made by \`node scripts/operators.mjs\`. ${there} of the standard's ${names.length} operators are there.`,
    '',
    '- **Versions**: those at which the meaning changed; each holds until the next. A model may import any opset.',
    '- **Types**: the element types that the newest version of the standard allows in inputs and outputs, all of which',
    '  are accepted. Floats are float16, bfloat16, float32 and float64; float8 are the four kinds with mantissas.',
    '- **The peer**: cases of the ONNX 1.20 suite with this operator alone that onnxruntime-web 1.30 does not pass.',
    '',
    '| Operator | Versions | Types | The peer does not pass |',
    '|---|---|---|---|',
    ...rows,
    '',
    '## Operators of onnxruntime',
    '',
    "The domain com.microsoft, with the semantics of onnxruntime's CPU provider, and SimplifiedLayerNormalization, which",
    'models write in the domain of the standard. Attributes that only other providers have are refused.',
    '',
    ...contributed(operators),
    '',
    '## Formats of ImageDecoder',
    '',
    'The same everywhere (they come with the package, not with the browser): BMP without run lengths; JPEG, progressive,',
    'arithmetic and CMYK too; JPEG 2000, grey, sRGB and sYCC; PNG; PNM; TIFF of 1 to 16 bits, uncompressed or by LZW,',
    'deflate, PackBits or JPEG; WebP, of animations the first picture. Values are those of Pillow, whose `convert` the',
    'formats RGB and Grayscale follow: transparency is left out, of 16 bits the upper 8 are taken. Where the standard says',
    'that damaged bytes give an empty tensor, there is an error that says what is wrong.',
    '',
  ].join('\n');
}

if (import.meta.filename === process.argv[1]) {
  const page = operatorsPage();
  if (!process.argv.includes('--check')) writeFileSync(join(root, kTarget), page);
  else if (read(kTarget) !== page) {
    console.log(`${kTarget} is stale: node scripts/operators.mjs writes it`);
    process.exitCode = 1;
  }
}

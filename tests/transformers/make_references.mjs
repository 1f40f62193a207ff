// By hand, after make/make_models.py: what Transformers.js gives on onnxruntime-node.
//   node make_references.mjs MODELS          -> MODELS/reference.json, of the real ones
//   node make_references.mjs MODELS --tiny   -> models/: the cases' files of MODELS, gzipped, and reference.json
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { appOnOnnxruntime, runCases } from './app.mjs';
import { fileOf, kCommitted, kReal } from './cases.mjs';

const [given, tiny] = process.argv.slice(2);
const source = resolve(given);
const cases = tiny ? kCommitted : kReal;
const app = appOnOnnxruntime();
const results = runCases(app, source, cases);
app.remove();
for (const [i, name] of cases.entries())
  if (results[i].error) throw new Error(`${name.join(' ')}: ${results[i].error}`);
const target = tiny ? fileURLToPath(new URL('models', import.meta.url)) : source;
const lines = cases.map((name, i) => `${JSON.stringify(String(name))}:${JSON.stringify(results[i])}`);

if (tiny) {
  rmSync(target, { recursive: true, force: true });
  for (const [, model, dtype] of cases) {
    const from = join(source, model);
    const to = join(target, model);
    mkdirSync(join(to, 'onnx'), { recursive: true });
    for (const name of readdirSync(from)) if (name.endsWith('.json')) cpSync(join(from, name), join(to, name));
    for (const part of ['model', 'encoder_model', 'decoder_model_merged']) {
      const file = join('onnx', `${part}${fileOf[dtype]}.onnx`);
      if (existsSync(join(from, file)))
        writeFileSync(join(to, `${file}.gz`), gzipSync(readFileSync(join(from, file)), { level: 9 }));
    }
  }
}
writeFileSync(join(target, 'reference.json'), `{\n${lines.join(',\n')}\n}\n`);

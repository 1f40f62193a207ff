// Our inference of all models in folders, for infer_shapes.py:
//   node tests/tools/infer_all.mjs OUT FOLDER...
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const { inferShapes } = await import('../../dist/tools.js');
const [out, ...folders] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
for (const folder of folders) {
  const models = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.onnx'));
  for (const name of models) {
    const path = join(folder, name);
    const plain = basename(path) === 'model.onnx' ? `${basename(dirname(path))}.model.onnx` : basename(path);
    try {
      writeFileSync(join(out, plain), await inferShapes(path));
    } catch (error) {
      process.stderr.write(`${plain}: ${error.message}\n`);
    }
  }
}

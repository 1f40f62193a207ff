// What our tools make of all models in folders and below, for infer_shapes.py and read_printed.py:
//   node tests/tools/write_all.mjs infer|print OUT FOLDER...
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const { inferShapes, print } = await import('../../dist/tools.js');
const [what, out, ...folders] = process.argv.slice(2);
const write = { infer: [inferShapes, ''], print: [print, '.txt'] }[what];
mkdirSync(out, { recursive: true });
for (const folder of folders) {
  const models = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.onnx'));
  for (const name of models) {
    const path = join(folder, name);
    const plain = basename(path) === 'model.onnx' ? `${basename(dirname(path))}.model.onnx` : basename(path);
    try {
      writeFileSync(join(out, `${plain}${write[1]}`), await write[0](path));
    } catch (error) {
      process.stderr.write(`${plain}: ${error.message}\n`);
    }
  }
}

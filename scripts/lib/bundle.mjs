// The package's modules as few files: what is imported from a server or a disk comes in two requests instead of twenty-five.
import { copyFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';

// What is imported or started by name; all else becomes one file that they share. URLs in the code are relative to the
// package's folder, so the files stay side by side.
const isEntry = (name) => /^(index|embedded|ort_backend|node_thread|[a-z_]+_worker)\.js$/.test(name);

/** @param {string} from the modules that TypeScript made, with their declarations; @param {string} to the package */
export async function bundle(from, to) {
  const names = readdirSync(from);
  const input = Object.fromEntries(names.filter(isEntry).map((name) => [basename(name, '.js'), join(from, name)]));
  const bundled = await rolldown({
    input,
    platform: 'neutral',
    external: [/\/wasm\//, 'onnxruntime-common'],
    makeAbsoluteExternalsRelative: false,
  });
  await bundled.write({
    dir: to,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [{ name: 'sardonyx', test: (id) => !isEntry(basename(id)) }] },
  });
  await bundled.close();
  for (const name of names.filter((name) => name.endsWith('.d.ts'))) copyFileSync(join(from, name), join(to, name));
}

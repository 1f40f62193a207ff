// The package's modules as few files: what is imported from a server or a disk comes in three requests instead of twenty-five.
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rolldown } from 'rolldown';

// What is imported by name; all else becomes one file that they share. URLs in the code are relative to the package's
// folder, so the files stay side by side.
const isEntry = (name) => /^(index|names|embedded|ort_backend|static|tools)\.js$/.test(name);
// Modules of an entry alone: they become part of its file.
const isTools = (id) => basename(dirname(id)) === 'tools';
// What few apps need, loaded when they do.
const isLate = (name) =>
  /^(codecs|codecs_loading|external_data|held_tensor|image_pixels|messages|moving_engine|option_names|remote_engine|run_error|self_test|threads|workers)\.js$/.test(
    name,
  );
// The engine once more, for a worker: to be read in the other files.
const isCopy = (name) => name === 'engine_worker.js';
const kNoWhitespace = { compress: false, mangle: false, codegen: true };
// All of those, for who may load nothing.
const kLateModules = './late_modules.js';
// What is started by name, with the little of the code that it needs.
const isWorker = (name) => /^(node_thread|[a-z_]+_worker)\.js$/.test(name);

// As TypeScript writes it. Rolldown would make an object of it, with all that the names need.
const kDefaultExport = "export * as default from './names.js';";
const withoutDefault = {
  name: 'default-export-as-it-is',
  transform: (code, id) => (isEntry(basename(id)) ? code.replace(kDefaultExport, '') : null),
};

async function write(input, dir, codeSplitting, minify = false) {
  const bundled = await rolldown({
    input,
    platform: 'neutral',
    external: [/\/wasm\//, kLateModules, 'onnxruntime-common'],
    makeAbsoluteExternalsRelative: false,
    plugins: [withoutDefault],
  });
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name].js' };
  await bundled.write({ dir, format: 'esm', ...names, codeSplitting, minify });
  await bundled.close();
}

/** The declarations that `entries` reach: the others are nobody's to see. */
function declarations(from, entries) {
  const reached = new Set(entries);
  for (const name of reached) {
    const text = readFileSync(join(from, name), 'utf8');
    for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)\.js['"]/g))
      if (!path.startsWith('./wasm/')) reached.add(join(dirname(name), `${path}.d.ts`));
  }
  return reached;
}

// What measures the bars' titles has a list of all emoji, 10 KB, of which engines know themselves.
const kEmoji = {
  name: 'emoji',
  load: (id) => (/emoji-regex[\\/]index\.js$/.test(id) ? 'module.exports = () => /\\p{Emoji_Presentation}/gu;' : null),
};

/**
 * The command line, from its TypeScript, into a folder of its own, with what it takes from npm inside: who installs the
 * package for a page installs nothing else. It reaches the package as its users do.
 * @param {string} source web/src/cli; @param {string} to dist/cli
 */
export async function bundleCli(source, to) {
  const bundled = await rolldown({
    input: { main: join(source, 'main.ts') },
    platform: 'node',
    external: ['../index.js', '../tools.js'],
    makeAbsoluteExternalsRelative: false,
    plugins: [kEmoji],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name].js' };
  await bundled.write({ dir: to, format: 'esm', minify: true, ...names });
  await bundled.close();
}

/** @param {string} from the modules that TypeScript made, with their declarations; @param {string} to the package */
export async function bundle(from, to) {
  const names = readdirSync(from);
  const input = (chosen) => Object.fromEntries(chosen.map((name) => [basename(name, '.js'), join(from, name)]));
  await write(input(names.filter(isEntry)), to, {
    groups: [{ name: 'sardonyx', test: (id) => !isTools(id) && !isEntry(basename(id)) && !isLate(basename(id)) }],
  });
  // The other bundlers see through it: who takes two names from the default export gets two.
  for (const name of ['index.js', 'embedded.js']) appendFileSync(join(to, name), `${kDefaultExport}\n`);
  copyFileSync(join(from, kLateModules), join(to, kLateModules));
  // In one file each: bundlers often cannot split workers.
  for (const name of names.filter(isWorker)) await write(input([name]), to, false, isCopy(name) && kNoWhitespace);
  mkdirSync(join(to, 'tools'), { recursive: true });
  const entries = names.filter(isEntry).map((name) => name.replace(/js$/, 'd.ts'));
  for (const name of declarations(from, entries)) copyFileSync(join(from, name), join(to, name));
}

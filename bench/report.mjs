// Makes the report page of a result: bench/report.html with its program and the results in it, one file without a server.
//   node bench/report.mjs [RESULT.json]     (default: the newest in bench/results)
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { kResultsFolder, newestResults } from './results.mjs';
import { problemsOf } from './schema.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

async function program() {
  const bundled = await rolldown({ input: here('report/page.mjs'), platform: 'browser' });
  const { output } = await bundled.generate({ format: 'iife', minify: true });
  await bundled.close();
  return output[0].code;
}

/** The page's text. In a script element only `</script` and `<!--` would be read as HTML. */
export async function reportPage(results) {
  const page = readFileSync(here('report.html'), 'utf8');
  const json = JSON.stringify(results).replaceAll('<', '\\u003c');
  const code = (await program()).replace(/<(?=\/script|!--)/gi, '\\x3c');
  return page
    .replace('id="results">null<', () => `id="results">${json}<`)
    .replace('id="program"><', () => `id="program">${code}<`);
}

/** Writes the page beside the results; returns its path. */
export async function makeReport(results) {
  mkdirSync(kResultsFolder, { recursive: true });
  const path = join(kResultsFolder, 'report.html');
  writeFileSync(path, await reportPage(results));
  return path;
}

if (import.meta.filename === process.argv[1]) {
  const path = process.argv[2] ?? newestResults();
  const results = JSON.parse(readFileSync(path, 'utf8'));
  const [problem] = problemsOf(results);
  if (problem) throw new Error(`${path}: ${problem}`);
  console.log(await makeReport(results));
}

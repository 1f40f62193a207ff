// The report's program: reads the results out of the page, or out of a file of the reader's, and shows them.
import { problemsOf } from '../schema.mjs';
import { busyRuns } from '../summary.mjs';
import { clearPlots } from './plots.mjs';
import { sections } from './sections.mjs';

const byId = (id) => document.getElementById(id);

function factsOf({ time, commit, changed, machine, engines, options }) {
  const programs = Object.values(engines).map(
    ({ name, version, v8 }) => `${name} ${version}${v8 ? ` (V8 ${v8})` : ''}`,
  );
  const state = `${commit?.slice(0, 9) ?? 'unknown'}${changed ? ' with changes' : ''}`;
  return [
    `${new Date(time).toLocaleString()}, commit ${state}`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.system}`,
    programs.join(', '),
    `${options.pairs} measurements of each, in turn`,
  ].join(' · ');
}

function warningsOf(results) {
  const busy = busyRuns(results).length;
  const lines = results.failures.map(({ what, error }) => `${what}: ${error}`);
  if (busy) lines.unshift(`The machine had other work during ${busy} of ${results.runs.length} comparisons.`);
  return lines.join('\n');
}

function show(results) {
  clearPlots();
  byId('facts').textContent = factsOf(results);
  byId('warnings').textContent = warningsOf(results);
  byId('main').replaceChildren();
  for (const section of sections(results)) byId('main').append(section);
}

byId('file').addEventListener('change', async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  try {
    const results = JSON.parse(await file.text());
    const [problem] = problemsOf(results);
    if (problem) throw new Error(problem);
    show(results);
  } catch (error) {
    byId('warnings').textContent = `${file.name} is no result of the benchmark: ${error.message}`;
  }
});

const results = JSON.parse(byId('results').textContent);
if (results) show(results);

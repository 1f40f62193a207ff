// The benchmark: makes the plan of its options, measures it, and saves and prints what came out. See bench/options.mjs.
import { measureCold } from './cold.mjs';
import { openEnvironment } from './environments.mjs';
import { measureGroup } from './group.mjs';
import { benchModels, declaredFeeds, givenModel } from './models.mjs';
import { kUsage, optionsOf } from './options.mjs';
import { peerFile } from './peers.mjs';
import { planOf } from './plan.mjs';
import { makeReport } from './report.mjs';
import { newResults, saveResults } from './results.mjs';
import { problemsOf } from './schema.mjs';
import { measureSizes } from './sizes.mjs';
import { labelOf } from './summary.mjs';
import { runLine, tables } from './tables.mjs';

const log = (line) => console.error(`bench: ${line}`);

/** Feeds for a model of the caller's, from what our package says of its inputs. */
async function feedsFor(model, dims) {
  if (model.feeds) return model.feeds;
  const { InferenceSession } = await import('../dist/index.js');
  const session = await InferenceSession.create(model.path());
  const feeds = declaredFeeds(session.inputMetadata, dims);
  await session.release();
  model.feeds = feeds;
  model.input = feeds.map(({ dims }) => dims.join('x')).join(' ');
  return feeds;
}

function withPeers(contestants) {
  return contestants.map((c) => (c.peer ? { ...c, location: peerFile(c.runtime, log) } : c));
}

class Progress {
  #begin = performance.now();
  #planned = 0;
  constructor(total) {
    this.total = total;
  }
  /** `seconds` of the plan are done; how long the rest will take at the speed so far. */
  step(seconds) {
    this.#planned += seconds;
    const elapsed = (performance.now() - this.#begin) / 1000;
    const left = (elapsed / this.#planned) * (this.total - this.#planned);
    return `${(elapsed / 60).toFixed(1)} min, about ${(left / 60).toFixed(1)} left`;
  }
}

async function attempt(results, what, work) {
  try {
    return await work();
  } catch (error) {
    results.failures.push({ what, error: error.message || String(error) });
    log(`FAILED ${what}: ${error.message}`);
    return undefined;
  }
}

async function measureGroups(env, opened, run) {
  const { plan, options, results, progress, save } = run;
  for (const group of plan.groups.filter((g) => g.env === env)) {
    const { model, variant } = group;
    const measured = await attempt(results, `${labelOf(group)}: ${model.name}`, async () => {
      const more = { path: model.path(), feeds: await feedsFor(model, options.dims) };
      const contestants = withPeers(group.contestants);
      return measureGroup(opened.host(variant), { ...group, ...more, contestants }, options.pairs);
    });
    if (measured) results.runs.push({ env, ...measured });
    for (const error of measured?.missing ?? []) results.failures.push({ what: labelOf(group), error });
    if (measured) console.log(`${labelOf(group).padEnd(28)} ${runLine(measured)}`);
    log(progress.step(group.seconds));
    save(results);
  }
}

async function measureColds(env, opened, run) {
  const { plan, options, results, progress, save } = run;
  const variant = env === 'node' ? 'simd' : 'relaxed';
  for (const { model, seconds } of plan.cold.filter((c) => c.env === env)) {
    const cold = await attempt(results, `${env}, cold: ${model.name}`, () =>
      measureCold(opened.host(variant), { model, feeds: model.feeds, path: model.path(), variant }, options.pairs),
    );
    if (cold) results.cold.push({ env, ...cold });
    log(`${env}, cold: ${model.name}; ${progress.step(seconds)}`);
    save(results);
  }
}

/**
 * Measures what the options say; gives the results to `save` whenever there are more of them.
 * @returns {Promise<object>} the results; see results.mjs
 */
export async function bench(options, save = () => {}) {
  const models = options.models.length ? options.models.map(givenModel) : benchModels(log);
  const plan = planOf(options, models);
  log(
    `${plan.groups.length} comparisons, ${plan.cold.length} cold starts: about ${(plan.seconds / 60).toFixed(0)} min`,
  );
  const results = newResults(options);
  if (options.list) {
    for (const group of plan.groups) console.log(`${labelOf(group)}: ${group.model.name}`);
    return results;
  }
  const run = { plan, options, results, save, progress: new Progress(plan.seconds) };
  for (const env of options.envs) {
    await attempt(results, env, async () => {
      const opened = await openEnvironment(env, log);
      results.engines[env] = opened.engine;
      try {
        await measureGroups(env, opened, run);
        await measureColds(env, opened, run);
      } finally {
        await opened.close();
      }
    });
  }
  if (options.parts.includes('size')) results.sizes = measureSizes();
  return results;
}

if (import.meta.filename === process.argv[1]) {
  const options = optionsOf(process.argv.slice(2));
  if (options.help) console.log(kUsage);
  else {
    const results = await bench(options, saveResults);
    if (!options.list) {
      console.log(`\n${tables(results).join('\n')}`);
      for (const problem of problemsOf(results)) results.failures.push({ what: 'the result', error: problem });
      console.log(saveResults(results));
      console.log(await makeReport(results));
      if (results.failures.length) process.exitCode = 1;
    }
  }
}

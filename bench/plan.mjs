// Which comparisons a run of the benchmark makes, in which order, and about how long they take.
import { kEnvironments, kVariants } from './options.mjs';

// Both runtimes take about this long to start and warm up, s; a page longer than a process.
const kStart = { node: 4, 'node-new': 4, chromium: 6 };
const kColdSeconds = { node: 2, 'node-new': 2, chromium: 4 }; // one pair of creations

/** A quick run: the build that each environment takes by itself. */
const kQuickVariants = { node: ['simd'], 'node-new': ['relaxed'], chromium: ['relaxed'] };

export const kColdModels = ['silero_vad_v5', 'squeezenet'];

function contestantsOf(model, env, variant, threads, { peers, against }) {
  const ours = { runtime: 'sardonyx', label: 'Sardonyx', variant, threads };
  const list = [ours, { runtime: 'onnxruntime-web', label: 'onnxruntime-web', variant, threads }];
  if (threads > 1) list.push({ ...ours, label: 'Sardonyx, 1 thread', threads: 1 });
  if (against) list.push({ ...ours, runtime: 'sardonyx-other', label: 'the other build', location: against });
  if (!peers || env !== 'node' || variant !== 'simd' || threads > 1) return list;
  list.push({ runtime: 'onnxruntime-node', label: 'onnxruntime-node', variant, threads, peer: true });
  if (model.name === 'mobilenetv2')
    list.push({ runtime: 'tfjs-wasm', label: 'tfjs-wasm', variant, threads, peer: true });
  return list;
}

function secondsOf({ model, env, contestants }, pairs) {
  const slow = Math.max(model.ms ?? 100, 40) / 1000;
  const perContestant = kStart[env] / 2 + 1 + slow * (pairs + 3);
  return contestants.length * 0.7 * perContestant;
}

/**
 * @param {object} options as bench/options.mjs gives them
 * @param {object[]} models as bench/models.mjs does
 * @returns {{groups: object[], cold: object[], seconds: number}} both in the order in which they are measured
 */
export function planOf(options, models) {
  const { envs, quick, pairs, parts } = options;
  const chosen = models.filter((m) => (!quick || m.quick) && options.filter.test(m.name));
  const groups = [];
  for (const env of kEnvironments.filter((name) => envs.includes(name))) {
    const variants = options.variants ?? (quick ? kQuickVariants[env] : kVariants);
    for (const variant of kVariants.filter((name) => variants.includes(name))) {
      for (const threads of options.threads) {
        for (const model of parts.includes('runs') ? chosen : []) {
          const contestants = contestantsOf(model, env, variant, threads, options);
          const group = { model, env, variant, threads, contestants };
          groups.push({ ...group, seconds: secondsOf(group, pairs) });
        }
      }
    }
  }
  const coldModels = models.filter((m) => (quick ? kColdModels.slice(0, 1) : kColdModels).includes(m.name));
  const cold = parts.includes('cold')
    ? envs.flatMap((env) => coldModels.map((model) => ({ model, env, seconds: kColdSeconds[env] * (pairs + 1) })))
    : [];
  const seconds = [...groups, ...cold].reduce((sum, part) => sum + part.seconds, 0);
  return { groups, cold, seconds };
}

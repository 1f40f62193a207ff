// Which comparisons a run of the benchmark makes, in which order, and about how long they take.
import { kEnvironments, kVariants } from './options.mjs';

// For the estimate, s: a contestant's start and warm-up, a pair of cold creations.
const kStart = { node: 1.6, 'node-new': 1.6, chromium: 2.2 };
const kColdSeconds = { node: 2, 'node-new': 2, chromium: 4 };
const kWarmUpRuns = 4;
const kUsual = 60; // ms of onnxruntime-web on one thread, where the model does not say
const kOursToTheirs = 0.45;

/** What is measured unless the caller chooses; a quick run: the build that each environment takes by itself. */
const kDefaultVariants = { node: kVariants, 'node-new': ['relaxed'], chromium: kVariants };
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
  const perContestant = ({ runtime, threads }) => {
    const share = runtime.startsWith('sardonyx') ? kOursToTheirs : 1;
    const seconds = Math.max(40, ((model.ms ?? kUsual) * share) / Math.sqrt(threads)) / 1000;
    return kStart[env] + seconds * (pairs + kWarmUpRuns);
  };
  return contestants.reduce((sum, contestant) => sum + perContestant(contestant), 0);
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
    const variants = options.variants ?? (quick ? kQuickVariants : kDefaultVariants)[env];
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

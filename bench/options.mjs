// The command line of `npm run bench`.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** node: the one that runs the benchmark; node-new: a newer one, from npm. */
export const kEnvironments = ['node', 'node-new', 'chromium'];
export const kVariants = ['simd', 'relaxed'];

export const kUsage = `npm run bench -- [options]: Sardonyx and onnxruntime-web side by side
  --env LIST       of ${kEnvironments.join(',')} (default: all)
  --variant LIST   of ${kVariants.join(',')} (default: both, in node-new the second; --quick: what an
                   environment takes by itself)
  --threads LIST   (default: 1,2)
  --pairs N        measurements of each, in turn (default: 7; --quick: 3)
  --filter REGEX   models by name
  --model FILE     a model of yours instead, once or several times; its inputs are made up
  --dims N=3,M=4   sizes for its open dimensions (default: 1)
  --part LIST      of runs,cold,size (default: all)
  --quick          some models, at most five minutes
  --no-peers       without onnxruntime-node and tfjs-backend-wasm (brought from npm into the cache)
  --against DIR    another dist/ of this package, measured in turn too
  --list           only say what would be measured`;

const kParts = ['runs', 'cold', 'size'];

function listOf(text, allowed, name) {
  const values = text.split(',').filter(Boolean);
  const wrong = values.filter((value) => !allowed.includes(value));
  if (wrong.length || !values.length) throw new Error(`--${name} takes ${allowed.join(',')}, not '${text}'`);
  return values;
}

function countOf(text, name, most) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`--${name} takes 1 to ${most}, not '${text}'`);
  return value;
}

function sizesOf(text) {
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [name, size] = part.split('=');
      if (!name || size === undefined) throw new Error(`--dims takes NAME=SIZE,..., not '${part}'`);
      return [name, countOf(size, 'dims', 2 ** 31)];
    }),
  );
}

/**
 * @param {string[]} args
 * @throws where something does not fit; the message says what does
 */
export function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      env: { type: 'string', default: kEnvironments.join() },
      variant: { type: 'string' },
      threads: { type: 'string', default: '1,2' },
      pairs: { type: 'string' },
      filter: { type: 'string', default: '' },
      model: { type: 'string', multiple: true, default: [] },
      dims: { type: 'string' },
      part: { type: 'string', default: kParts.join() },
      quick: { type: 'boolean', default: false },
      'no-peers': { type: 'boolean', default: false },
      against: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { quick, model, against, list, help } = values;
  return {
    envs: listOf(values.env, kEnvironments, 'env'),
    variants: values.variant === undefined ? undefined : listOf(values.variant, kVariants, 'variant'),
    threads: values.threads.split(',').map((text) => countOf(text, 'threads', 64)),
    pairs: values.pairs === undefined ? (quick ? 3 : 7) : countOf(values.pairs, 'pairs', 1000),
    filter: new RegExp(values.filter),
    models: model,
    dims: values.dims === undefined ? {} : sizesOf(values.dims),
    parts: listOf(values.part, kParts, 'part'),
    peers: !values['no-peers'],
    against: against === undefined ? undefined : join(resolve(against), 'index.js'),
    ...{ quick, list, help },
  };
}

// The benchmark's arithmetic, its command line and its plan.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runsPerMeasurement } from '../../bench/group.mjs';
import { benchModels, declaredFeeds } from '../../bench/models.mjs';
import { optionsOf } from '../../bench/options.mjs';
import { planOf } from '../../bench/plan.mjs';
import { disagreement, geometricMean, median, pairedRatio, spread } from '../../bench/statistics.mjs';

test('medians and quartiles, by hand', () => {
  assert.deepEqual(spread([5, 1, 3, 2, 4]), { median: 3, least: 1, most: 5, lower: 2, upper: 4 });
  assert.deepEqual(spread([4, 1]), { median: 2.5, least: 1, most: 4, lower: 1.75, upper: 3.25 });
  assert.equal(median([7]), 7);
});

test('ratios are of pairs, so that a slow phase of the machine does not count', () => {
  const ours = [1, 10, 1, 10];
  const theirs = [2, 20, 2, 20];
  assert.deepEqual(pairedRatio(ours, theirs), { median: 2, least: 2, most: 2, lower: 2, upper: 2 });
  assert.equal(pairedRatio([1, 1, 1], [1, 2, 90]).median, 2);
  assert.throws(() => pairedRatio([1], [1, 2]), /no pairs/);
});

test('geometric mean', () => {
  assert.ok(Math.abs(geometricMean([1, 4, 16]) - 4) < 1e-12);
});

test('how far two results are apart', () => {
  assert.equal(disagreement([[1, 2]], [[1, 2]]), 0);
  assert.equal(disagreement([[1, 5]], [[1, 4]]), 0.25);
  assert.equal(disagreement([['NaN', 1]], [['NaN', 1]]), 0);
  assert.equal(disagreement([[3, 1]], [['NaN', 1]]), Number.POSITIVE_INFINITY);
  assert.equal(disagreement([[1]], [[1, 2]]), Number.POSITIVE_INFINITY);
  assert.equal(disagreement([], [[1]]), Number.POSITIVE_INFINITY);
});

test('a measurement is some 40 ms of runs', () => {
  assert.equal(runsPerMeasurement(0.04), 1000);
  assert.equal(runsPerMeasurement(100), 1);
  assert.equal(runsPerMeasurement(1e-9), 20_000);
});

test('options: what they are by default, and what is refused', () => {
  const options = optionsOf([]);
  assert.deepEqual(options.envs, ['node', 'node-new', 'chromium']);
  assert.deepEqual(options.threads, [1, 2]);
  assert.equal(options.pairs, 7);
  assert.equal(options.peers, true);
  assert.equal(optionsOf(['--quick']).pairs, 3);
  assert.deepEqual(optionsOf(['--dims', 'batch=2,n=7']).dims, { batch: 2, n: 7 });
  const bad = [
    [['--env', 'deno'], /--env takes node,node-new,chromium/],
    [['--variant', ''], /--variant takes/],
    [['--threads', '0'], /--threads takes 1 to 64/],
    [['--pairs', 'many'], /--pairs/],
    [['--dims', 'batch'], /--dims takes NAME=SIZE/],
    [['--part', 'runs,sizes'], /--part takes runs,cold,size/],
    [['--speed'], /--speed/],
  ];
  for (const [args, message] of bad) assert.throws(() => optionsOf(args), message);
});

test('the plan: every environment, variant, thread count and model, with what each is set against', () => {
  const models = benchModels().filter(({ group }) => group !== 'transformers');
  const plan = planOf(optionsOf([]), models);
  assert.equal(models.length, 21);
  assert.equal(plan.groups.length, (2 + 1 + 2) * 2 * models.length);
  assert.ok(plan.seconds < 40 * 60, `${plan.seconds} s`);
  const labels = (env, variant, threads, name) =>
    plan.groups
      .find((g) => g.env === env && g.variant === variant && g.threads === threads && g.model.name === name)
      .contestants.map(({ label }) => label);
  const both = ['Sardonyx', 'onnxruntime-web'];
  assert.deepEqual(labels('chromium', 'relaxed', 1, 'resnet50'), both);
  assert.deepEqual(labels('node', 'simd', 1, 'resnet50'), [...both, 'onnxruntime-node']);
  assert.deepEqual(labels('node', 'simd', 1, 'mobilenetv2'), [...both, 'onnxruntime-node', 'tfjs-wasm']);
  assert.deepEqual(labels('node-new', 'relaxed', 2, 'vgg19'), [...both, 'Sardonyx, 1 thread']);
});

test('the plan: choices', () => {
  const models = benchModels();
  const some = planOf(
    optionsOf(['--env', 'chromium', '--variant', 'simd', '--filter', '^res|vgg', '--part', 'runs']),
    models,
  );
  assert.deepEqual(
    some.groups.map(({ env, variant, threads, model }) => [env, variant, threads, model.name].join()),
    ['chromium,simd,1,resnet50', 'chromium,simd,1,vgg19', 'chromium,simd,2,resnet50', 'chromium,simd,2,vgg19'],
  );
  assert.deepEqual(some.cold, []);
  const quick = planOf(optionsOf(['--quick']), models);
  assert.ok(quick.seconds < 5 * 60, `${quick.seconds} s`);
  const against = planOf(optionsOf(['--filter', 'squeeze', '--against', '/elsewhere/dist']), models).groups;
  assert.equal(
    against[0].contestants.find(({ runtime }) => runtime === 'sardonyx-other').location,
    '/elsewhere/dist/index.js',
  );
});

test('inputs of models that are not ours are made of what they declare', () => {
  const port = (name, type, shape) => ({ name, isTensor: true, type, shape });
  const feeds = declaredFeeds([port('x', 'float32', ['batch', 3, '']), port('ids', 'int64', [1, 'n'])], { n: 9 });
  assert.deepEqual(feeds, [
    { name: 'x', dims: [1, 3, 1], kind: 'u11', type: 'float32' },
    { name: 'ids', dims: [1, 9], kind: 'any', type: 'int64' },
  ]);
  assert.throws(() => declaredFeeds([{ name: 'list', isTensor: false }]), /"list" is no tensor/);
});

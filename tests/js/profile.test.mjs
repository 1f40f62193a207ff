// What ran in the bodies of loops and branches: in profiles, by operator, in Chrome's trace and in the command line's table.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { sardonyx, workFolder } from './cli_program.mjs';
import { InferenceSession, makeModel, node, port, Tensor, tensorType } from './make_model.mjs';

const { chromeTrace } = await import('../../dist/index.js');
const { timeByOperator } = await import('../../dist/tools.js');
const work = workFolder();
after(work.remove);

const float = tensorType('float32', ['n']);
const [index, flag] = [tensorType('int64', []), tensorType('bool', [])];
const graph = (name, g) => ({ name, type: 'GRAPH', g: { name, ...g } });
const named = (op, inputs, output, name, more = {}) => node(op, inputs, [output], { name, ...more });

// Neg, then a loop of `trips` times Add and a branch of Mul and Sub, or of Exp; both branches name a node "work".
function nested() {
  const branches = [
    graph('then_branch', {
      node: [named('Mul', ['v', 'x'], 'u', 'work'), named('Sub', ['u', 'x'], 'then_out', 'less')],
      output: [port('then_out', float)],
    }),
    graph('else_branch', { node: [named('Exp', ['v'], 'else_out', 'work')], output: [port('else_out', float)] }),
  ];
  const body = graph('body', {
    node: [
      named('Add', ['t', 'x'], 'v', 'plus'),
      named('If', ['more'], 'w', 'choice', { attribute: branches }),
      named('Identity', ['go'], 'on', 'on'),
    ],
    input: [port('i', index), port('go', flag), port('t', float)],
    output: [port('on', flag), port('w', float)],
  });
  return makeModel({
    node: [named('Neg', ['x'], 's', 'before'), named('Loop', ['trips', '', 's'], 'y', 'loop', { attribute: [body] })],
    input: [port('x', float), port('trips', index), port('more', flag)],
    output: [port('y', float)],
  });
}

const feedsOf = (trips, more) => ({
  x: new Tensor('float32', [1, 2], [2]),
  trips: new Tensor('int64', [trips], []),
  more: new Tensor('bool', [more], []),
});

async function profiled(trips, more, options = {}) {
  const session = await InferenceSession.create(nested());
  try {
    await session.run(feedsOf(trips, more), { profile: true, ...options });
    return session.profile();
  } finally {
    await session.release();
  }
}

const counts = (times) =>
  Object.fromEntries(times.map(({ opType, nodes, runs, inside }) => [opType, [nodes, runs, counts(inside)]]));

for (const options of [{}, { signal: new AbortController().signal }]) {
  test(`every node of a body each time it ran, ${options.signal ? 'in slices' : 'at once'}`, async () => {
    const profile = await profiled(3, true, options);
    const found = counts(timeByOperator(profile));
    assert.deepEqual(found.Neg, [1, 1, {}]);
    const [nodes, runs, inside] = found.Loop;
    assert.deepEqual([nodes, runs], [1, 1]);
    assert.deepEqual(inside.Add, [1, 3, {}]);
    assert.deepEqual(inside.If, [1, 3, { Mul: [1, 3, {}], Sub: [1, 3, {}] }]);
    assert.ok(profile.every((entry) => !('leftOut' in entry)));
    const other = counts(timeByOperator(await profiled(2, false, options)));
    assert.deepEqual(other.Loop[2].If, [1, 2, { Exp: [1, 2, {}] }]);
  });
}

test('inner nodes take no longer than the node that runs them, and lie within it in the trace', async () => {
  const profile = await profiled(20, true);
  const check = (times) => {
    for (const { ms, inside } of times) {
      assert.ok(inside.reduce((sum, inner) => sum + inner.ms, 0) <= ms + 1e-6);
      check(inside);
    }
  };
  check(timeByOperator(profile));
  const { traceEvents } = chromeTrace(profile);
  assert.equal(traceEvents.length, profile.length);
  // As viewers do: each event lies within the one that is open, or after it.
  const open = [];
  const deepest = traceEvents.map(({ name, ts, dur }) => {
    while (open.length > 0 && ts >= open.at(-1).end - 1e-3) open.pop();
    assert.ok(open.length === 0 || ts + dur <= open.at(-1).end + 1e-3, `${name} ends after what holds it`);
    open.push({ name, end: ts + dur });
    return open.map((event) => event.name).join('>');
  });
  assert.ok(deepest.includes('Loop>If>Mul'), [...new Set(deepest)].join(' '));
});

test('a long loop does not fill the memory: the main graph is whole, and it is said how much is left out', async () => {
  const trips = 30000;
  const profile = await profiled(trips, true);
  const inner = profile.filter(({ depth }) => depth > 0);
  assert.ok(profile.length <= 100_001, `${profile.length}`);
  const [loop] = profile.filter(({ opType }) => opType === 'Loop');
  // Add, If, Mul, Sub in each trip (the Identity is taken out).
  const all = inner.length + loop.leftOut;
  assert.ok(all === 4 * trips || all === 5 * trips, `${all}`);
  const [first] = timeByOperator(profile);
  assert.equal(first.opType, 'Loop');
  assert.equal(first.ms, loop.duration);
});

test('run --profile shows what ran in subgraphs under what ran it', async () => {
  const path = work.put('nested.onnx', nested());
  const trace = work.path('trace.json');
  const args = ['run', path, '-i', 'x=[1,2]', '-i', 'trips=3', '-i', 'more=true', '--profile', trace];
  const { code, stdout, stderr } = await sardonyx(args);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /\n {2}operator +nodes +runs +time +share\n/);
  assert.match(stdout, /\n {2}Loop +1 +1 .*\n(.*\n)* {4}If +1 +3 .*\n(.*\n)* {6}Mul +1 +3 /);
  const names = JSON.parse(readFileSync(trace, 'utf8')).traceEvents.map(({ name }) => name);
  for (const name of ['Neg', 'Loop', 'Add', 'If', 'Mul', 'Sub']) assert.ok(names.includes(name), name);
  const { operators } = (await sardonyx([...args, '--json'])).json();
  assert.deepEqual(operators.map(({ opType }) => opType).sort(), ['Loop', 'Neg']);
  assert.deepEqual(counts(operators).Loop[2].If[2].Sub, [1, 3, {}]);
});

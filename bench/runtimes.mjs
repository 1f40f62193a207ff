// The runtimes that are measured, each brought into one form; used in Node.js and in pages, where only the one that is
// asked for is loaded.
import { feedsOf, lcg } from '../tests/models/feeds.mjs';

const inNode = typeof process === 'object' && !!process.versions?.node;

// 'any' feeds of models that are not ours: ones, which serve as tokens, kinds, masks and positions alike.
function anyTensor({ name, dims, type }, Tensor) {
  const count = dims.reduce((a, b) => a * b, 1);
  const make = {
    int64: () => new BigInt64Array(count).fill(1n),
    uint64: () => new BigUint64Array(count).fill(1n),
    bool: () => new Uint8Array(count).fill(1),
    int32: () => new Int32Array(count).fill(1),
    uint8: () => Uint8Array.from({ length: count }, (_, i) => i % 256),
    int8: () => Int8Array.from({ length: count }, (_, i) => (i % 256) - 128),
    float64: () => Float64Array.from({ length: count }, (_, i) => Math.sin(i)),
  }[type];
  if (!make) throw new Error(`an input "${name}" of the type ${type} cannot be made up`);
  return new Tensor(type, make(), dims);
}

/** int64: the same number everywhere (i64s), or numbers below `below`, the same each time (tokens). */
function integerTensor({ name, dims, kind, value, below }, Tensor) {
  const next = lcg(name.length);
  const one = kind === 'i64s' ? () => BigInt(value) : () => BigInt(Math.floor(next() * below));
  const count = dims.reduce((a, b) => a * b, 1);
  return new Tensor('int64', BigInt64Array.from({ length: count }, one), dims);
}

const kMakers = { any: anyTensor, i64s: integerTensor, tokens: integerTensor };

/** Feeds {name: Tensor}, the same values for every runtime. */
export function tensorsOf(feeds, Tensor) {
  const known = feedsOf({ feeds: feeds.filter(({ kind }) => !kMakers[kind]) }, Tensor);
  const others = feeds.filter(({ kind }) => kMakers[kind]).map((feed) => [feed.name, kMakers[feed.kind](feed, Tensor)]);
  return { ...known, ...Object.fromEntries(others) };
}

const kSamples = 512; // values of each output that are compared

/** Evenly spaced values of every output that is a tensor of numbers, in the order of the names; NaN and infinities as text. */
export function samplesOf(results) {
  return Object.keys(results)
    .sort()
    .map((name) => {
      const { data } = results[name];
      if (!data || typeof data[0] === 'string') return [];
      const step = Math.max(1, Math.floor(data.length / kSamples));
      return Array.from({ length: Math.min(kSamples, data.length) }, (_, i) => {
        const value = Number(data[i * step]);
        return Number.isFinite(value) ? value : String(value);
      });
    });
}

// onnxruntime-common's interface, which all three follow.
function adapt({ InferenceSession, Tensor }, options, details) {
  return {
    async create(model, feeds) {
      const session = await InferenceSession.create(model, options);
      const tensors = tensorsOf(feeds, Tensor);
      return {
        details: () => details(session),
        run: () => session.run(tensors),
        macs: () => session.macs?.(),
        memory: () => session.memory?.(),
        async profile() {
          if (!session.profile) return undefined;
          await session.run(tensors, { profile: true });
          return session.profile();
        },
      };
    },
  };
}

async function sardonyx({ threads, variant, location }) {
  const module = await import(location ?? '../dist/index.js');
  module.env.wasm.numThreads = threads;
  module.env.wasm.simd = variant === 'simd' ? 'fixed' : true;
  return adapt(module, {}, ({ info }) => ({
    version: module.env.versions.sardonyx,
    variant: info.variant,
    threads: info.threads,
    why: info.why,
  }));
}

async function onnxruntimeWeb({ threads }) {
  const module = await import(inNode ? 'onnxruntime-web' : '/node_modules/onnxruntime-web/dist/ort.wasm.min.mjs');
  module.env.wasm.numThreads = threads;
  module.env.logLevel = 'error';
  return adapt(module, { executionProviders: ['wasm'] }, () => ({
    version: module.env.versions.web,
    variant: 'simd',
    threads: module.env.wasm.numThreads, // it goes down to 1 where threads do not work
  }));
}

async function onnxruntimeNode({ threads, location }) {
  const { default: module } = await import(location);
  module.env.logLevel = 'error';
  const options = { executionProviders: ['cpu'], intraOpNumThreads: threads, interOpNumThreads: 1 };
  return adapt(module, options, () => ({ version: module.env.versions.node, variant: 'native', threads }));
}

const kLoaders = {
  sardonyx,
  'sardonyx-other': sardonyx,
  'onnxruntime-web': onnxruntimeWeb,
  'onnxruntime-node': onnxruntimeNode,
  'tfjs-wasm': async (spec) => (await import('./tfjs.mjs')).tfjsWasm(spec),
};

/**
 * A runtime, its code loaded: {create(model, feeds)} gives {run(), macs(), memory(), profile(), details()}; all may be
 * promises. details(): {version, variant, threads, why?} as they are now.
 * @param {{runtime: string, threads: number, variant: string, location?: string}} spec location: the URL of its code
 */
export function loadRuntime(spec) {
  return kLoaders[spec.runtime](spec);
}

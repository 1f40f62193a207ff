// What an app does with Transformers.js, nothing of it for Sardonyx: node client.mjs MODELS CASES writes the cases' results
// as JSON. It lies in a folder of its own, whose package.json says which runtime Transformers.js gets.
import {
  env,
  InterruptableStoppingCriteria,
  pipeline,
  RawImage,
  StoppingCriteriaList,
  TextStreamer,
} from '@huggingface/transformers';

/** The same numbers each time, in [-1, 1). */
function* noise(seed) {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 31 - 1;
  }
}
const take = (count, source) => Array.from({ length: count }, () => source.next().value);

const sentences = ['the quick brown fox', 'a model runs in the browser', 'sea shells by the sea shore'];
const tones = () => Float32Array.from(take(16000, noise(5)), (v, i) => 0.4 * Math.sin(i * 0.07) + 0.1 * v);
// Of the tiny models' size: browsers and Node.js do not resize alike.
const kPictureDims = [32, 32, 3];
const picture = () =>
  new RawImage(
    Uint8ClampedArray.from(take(32 * 32 * 3, noise(7)), (v) => 128 + 127 * v),
    ...kPictureDims,
  );

async function generate(run) {
  const pieces = [];
  const streamer = new TextStreamer(run.tokenizer, {
    skip_prompt: true,
    callback_function: (text) => pieces.push(text),
  });
  const options = { max_new_tokens: 12, do_sample: false };
  const [{ generated_text }] = await run('the lazy dog', { ...options, streamer });
  const streamed = pieces.join('');
  // GroupQueryAttention knows no padding on the left: what onnxruntime makes of it depends on stale memory.
  if (run.model.sessions.model.inputNames.includes('position_ids') === false) return { generated_text, streamed };
  const both = await run(['a model', 'she sells sea shells'], options);
  return { generated_text, streamed, both: both.map(([b]) => b.generated_text) };
}

// Stopped by the app after the third token; then asked again.
async function interrupt(run) {
  const stop = new InterruptableStoppingCriteria();
  const stopping_criteria = new StoppingCriteriaList();
  stopping_criteria.push(stop);
  let tokens = 0;
  const streamer = new TextStreamer(run.tokenizer, {
    skip_prompt: true,
    token_callback_function: () => {
      if (++tokens === 3) stop.interrupt();
    },
  });
  streamer.callback_function = () => {};
  const options = { do_sample: false };
  const [{ generated_text }] = await run('the lazy dog', {
    ...options,
    max_new_tokens: 40,
    streamer,
    stopping_criteria,
  });
  const [again] = await run('the lazy dog', { ...options, max_new_tokens: 4 });
  return { generated_text, again: again.generated_text };
}

const kTasks = {
  'feature-extraction': async (run) => {
    const output = await run(sentences, { pooling: 'mean', normalize: true });
    return { dims: output.dims, data: [...output.data] };
  },
  // How alike the second and the third sentence are to the first.
  similarity: async (run) => {
    const output = await run(['a cat sits on the sofa', 'a kitten rests on the couch', 'the price of oil fell again'], {
      pooling: 'mean',
      normalize: true,
    });
    const [first, ...others] = output.tolist();
    return others.map((v) => v.reduce((sum, x, i) => sum + x * first[i], 0));
  },
  'text-classification': (run) => run(sentences, { top_k: null }),
  'token-classification': (run) => run(sentences[0]),
  'text-generation': generate,
  interrupt,
  'automatic-speech-recognition': (run) => run(tones(), { language: 'en', task: 'transcribe' }),
  'image-classification': (run) => run(picture(), { top_k: 4 }),
  'zero-shot-image-classification': (run) => run(picture(), ['fox', 'dog', 'sea shore']),
};

const kPipelines = { interrupt: 'text-generation', similarity: 'feature-extraction' };

/** Runs cases [task, model, dtype] one after another: their results, or {error}. */
export async function runCases(cases, settings = {}) {
  Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, useBrowserCache: false, ...settings });
  const results = [];
  for (const [task, model, dtype] of cases) {
    try {
      const run = await pipeline(kPipelines[task] ?? task, model, { dtype });
      results.push(await kTasks[task](run));
      await run.dispose();
    } catch (error) {
      results.push({ error: String(error?.message ?? error) });
    }
  }
  return results;
}

if (globalThis.process?.argv[2]) {
  const [localModelPath, cases] = process.argv.slice(2);
  console.log(JSON.stringify(await runCases(JSON.parse(cases), { localModelPath })));
}

// Transformers and quantised models, one run each as Transformers.js makes it: an encoder's pass, or a decoder's next token.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../scripts/fetch-common.mjs';
import { fetchZoo } from '../scripts/fetch-zoo.mjs';
import { kZoo } from '../tests/models/feeds.mjs';

const kLength = 128; // tokens of an encoder's text
const kPast = 256; // tokens that a decoder has seen

const ones = (name, dims) => ({ name, dims, kind: 'any', type: 'int64' });
const tokens = (name, dims, below) => ({ name, dims, kind: 'tokens', below });

/** The inputs of MiniLM with kLength tokens. */
export const kMiniLm = [
  tokens('input_ids', [1, kLength], 30_000),
  ones('attention_mask', [1, kLength]),
  { name: 'token_type_ids', dims: [1, kLength], kind: 'i64s', value: 0 },
];

/** The next token after kPast ones; `positions`: the model takes position_ids. */
function decoderFeeds(layers, heads, positions = true) {
  const past = (part) => (_, i) => ({
    name: `past_key_values.${i}.${part}`,
    dims: [1, heads, kPast, 64],
    kind: 'u11',
  });
  return [
    tokens('input_ids', [1, 1], 300),
    ones('attention_mask', [1, kPast + 1]),
    ...(positions ? [{ name: 'position_ids', dims: [1, 1], kind: 'i64s', value: kPast }] : []),
    ...['key', 'value'].flatMap((part) => Array.from({ length: layers }, past(part))),
  ];
}

// [name, the file in the folder that make_models.py --real wrote, feeds, ms of onnxruntime-web, what one run is]
const kMade = [
  ['MiniLM', 'minilm/onnx/model.onnx', kMiniLm, 150, `1x${kLength}`],
  ['MiniLM q8', 'minilm/onnx/model_quantized.onnx', kMiniLm, 75, `1x${kLength}`],
  ['Llama-like q4, built', 'llama-built/onnx/model_q4.onnx', decoderFeeds(8, 4, false), 20, `token ${kPast + 1}`],
  ['Llama-like q4', 'llama/onnx/model_q4.onnx', decoderFeeds(8, 4), 20, `token ${kPast + 1}`],
  ['Llama-like q8', 'llama/onnx/model_quantized.onnx', decoderFeeds(8, 4), 20, `token ${kPast + 1}`],
  ['GPT-2-like', 'gpt2/onnx/model.onnx', decoderFeeds(8, 8), 20, `token ${kPast + 1}`],
  ['GPT-2-like q8', 'gpt2/onnx/model_quantized.onnx', decoderFeeds(8, 8), 20, `token ${kPast + 1}`],
  [
    'Whisper-like encoder',
    'whisper/onnx/encoder_model.onnx',
    [{ name: 'input_features', dims: [1, 80, 3000], kind: 'u11' }],
    2000,
    '1x80x3000',
  ],
];

function isnet(log) {
  const [{ feeds }] = kZoo['isnet_quint8.onnx'];
  const path = () => join(fetchZoo({ names: ['isnet_quint8.onnx'], log }), 'isnet_quint8.onnx');
  const input = feeds[0].dims.join('x');
  return { name: 'isnet_quint8', group: 'transformers', quick: false, ms: 10_000, input, feeds, path };
}

/**
 * isnet_quint8, and the transformers where tests/transformers/make/make_models.py --real has written them: no hub has
 * files of their kind that could be fetched. `log` gets a line where they are missing.
 * @returns {import('./models.mjs').BenchModel[]}
 */
export function transformerModels(log = () => {}) {
  const folder = join(cacheFolder(), 'transformers');
  const there = kMade.filter(([, file]) => existsSync(join(folder, file)));
  if (there.length < kMade.length) {
    const names = kMade.filter((made) => !there.includes(made)).map(([name]) => name);
    log(`without ${names.join(', ')}: tests/transformers/make/make_models.py --real makes them`);
  }
  // None is quick: --quick promises five minutes.
  const models = there.map(([name, file, feeds, ms, input]) => {
    return { name, group: 'transformers', quick: false, ms, input, feeds, path: () => join(folder, file) };
  });
  return [...models, isnet(log)];
}

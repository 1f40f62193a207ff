// What is measured: which models, where their files come from, and which inputs they get.
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { cacheFolder, putFile } from '../scripts/fetch-common.mjs';
import { fetchSuite } from '../scripts/fetch-suite.mjs';
import { fetchZoo } from '../scripts/fetch-zoo.mjs';
import { kZoo } from '../tests/models/feeds.mjs';
import { lightModel } from './make/light.mjs';
import { mobilenetModel } from './make/mobilenet.mjs';
import { transformerModels } from './transformers.mjs';

const kImage = [1, 3, 224, 224];
const image = (name) => ({ feeds: [{ name, dims: kImage, kind: 'u11' }], input: kImage.join('x') });

// The suite's light networks: name, the name of the input; ms of onnxruntime-web are for the estimate only.
const kLight = [
  ['squeezenet', 'data_0', { quick: true }],
  ['shufflenet', 'gpu_0/data_0', { quick: true }],
  ['resnet50', 'gpu_0/data_0', { quick: true, ms: 450 }],
  ['densenet121', 'data_0', { ms: 450 }],
  ['inception_v1', 'data_0', { ms: 200 }],
  ['inception_v2', 'data_0', { ms: 350 }],
  ['bvlc_alexnet', 'data_0', { ms: 400 }],
  ['vgg19', 'data_0', { ms: 2500 }],
  ['zfnet512', 'gpu_0/data_0', { ms: 500 }],
];

// The zoo's files, each with the case of tests/models/feeds.mjs that is measured.
const kZooCases = {
  'ch_PP-OCRv4_det_infer.onnx': '480x640',
  'ch_PP-OCRv4_rec_infer.onnx': '1x48x320',
  'ch_ppocr_mobile_v2.0_cls_infer.onnx': '48x192',
  'silero_vad_v5.onnx': '16k-576',
  'silero_vad_16k_op15.onnx': '16k-576',
  'face_detection_front_128x128_barracuda.onnx': '128',
  'mlsd_320x320_tiny.onnx': '320',
  'embedding_model.onnx': 'b1',
  'melspectrogram.onnx': '16000',
  'hey_jarvis_v0.1.onnx': 'x',
  'hello_deepa.onnx': 'x',
};
const kZooMs = { 'ch_PP-OCRv4_det_infer.onnx': 240, 'mlsd_320x320_tiny.onnx': 200, 'ch_PP-OCRv4_rec_infer.onnx': 90 };
const kQuickZoo = ['silero_vad_v5.onnx', 'mlsd_320x320_tiny.onnx'];

// Raised when a maker writes other bytes than before: the cache's files are then made anew.
const kMadeVersion = 1;

/** Makes `name` into the cache if it is not there; returns its path. */
function made(name, make) {
  const path = join(cacheFolder(), 'bench', `models-${kMadeVersion}`, `${name}.onnx`);
  if (!existsSync(path)) putFile(path, make());
  return path;
}

/**
 * A model to measure: `path()` brings its file and may take a while the first time.
 * @typedef {{name: string, input: string, group: 'light' | 'zoo' | 'transformers' | 'given', quick: boolean, feeds: object[] | undefined,
 *   ms?: number, path: () => string}} BenchModel  feeds as in tests/models/feeds.mjs; undefined: made from the declared
 *   inputs
 */

function lightModels(log) {
  return kLight.map(([name, input, more]) => ({
    name,
    group: 'light',
    quick: false,
    ...image(input),
    ...more,
    path: () =>
      made(`light_${name}`, () => {
        log(`making ${name} from the ONNX suite, with random weights`);
        return lightModel(join(fetchSuite({ log }).folder, 'light', `light_${name}.onnx`));
      }),
  }));
}

function zooModels(log) {
  return Object.entries(kZooCases).map(([file, caseName]) => {
    const { feeds } = kZoo[file].find(({ name }) => name === caseName);
    const [{ dims }] = feeds;
    return {
      name: file.replace(/(_infer|_128x128_barracuda)?\.onnx$/, ''),
      group: 'zoo',
      quick: kQuickZoo.includes(file),
      ms: kZooMs[file],
      input: dims.join('x'),
      feeds,
      path: () => join(fetchZoo({ names: [file], log }), file),
    };
  });
}

/** The models of the default run. `log` gets a line where a file is fetched or made. @returns {BenchModel[]} */
export function benchModels(log = () => {}) {
  const mobilenet = {
    name: 'mobilenetv2',
    group: 'light',
    quick: true,
    ...image('x'),
    path: () => made('mobilenetv2', mobilenetModel),
  };
  return [...lightModels(log), mobilenet, ...zooModels(log), ...transformerModels(log)];
}

/** A model of the caller's. @returns {BenchModel} */
export function givenModel(file) {
  const path = resolve(file);
  if (!existsSync(path)) throw new Error(`there is no ${file}`);
  return { name: basename(path, '.onnx'), group: 'given', quick: true, input: '', feeds: undefined, path: () => path };
}

/**
 * Feeds for inputs as InferenceSession.inputMetadata declares them; open dimensions take `sizes[name]`, else 1.
 * Integers are 1, bool true, so that they serve as indices, masks and tokens.
 */
export function declaredFeeds(metadata, sizes = {}) {
  return metadata.map(({ name, isTensor, type, shape }) => {
    if (!isTensor) throw new Error(`the input "${name}" is no tensor: it cannot be made up`);
    const dims = shape.map((dim) => (typeof dim === 'number' ? dim : Number(sizes[dim] ?? 1)));
    return { name, dims, kind: type === 'float32' ? 'u11' : 'any', type };
  });
}

// The zoo's cases: which inputs each real model gets, made the same every time from a linear congruential generator.
import { detImage, recImage } from '../../examples/text_image.mjs';

const kSeed = 12345;

/** Numerical Recipes' generator: s = (1664525 s + 1013904223) mod 2^32; returns s / 2^32, in 0..1. */
export function lcg(seed) {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(1664525, s) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

// One value from the generator's next one and the index (audio: seconds at 16 kHz are index / 16000).
const kKinds = {
  u01: (r) => r(),
  u11: (r) => r() * 2 - 1,
  u255: (r) => Math.floor(r() * 256),
  audio: (r, i) => 0.5 * Math.sin((2 * Math.PI * 220 * i) / 16000) + 0.1 * (r() * 2 - 1),
  pcm: (r, i) => Math.round(8000 * Math.sin((2 * Math.PI * 220 * i) / 16000) + 500 * (r() * 2 - 1)),
  zeros: () => 0,
};

/** `count` float32 values of a kind: u01, u11 and u255 are uniform, audio is in -1..1, pcm in the range of int16. */
export function makeValues(kind, count, seed = kSeed) {
  const r = lcg(seed);
  return Float32Array.from({ length: count }, (_, i) => kKinds[kind](r, i));
}

const f32 = (name, dims, kind) => ({ name, dims, kind });
const i64 = (name, value) => ({ name, dims: [], kind: 'i64', value });
const silero = (samples, rate) => [
  f32('input', [1, samples], 'audio'),
  f32('state', [2, 1, 128], 'zeros'),
  i64('sr', rate),
];

/** File -> its cases {name, feeds, heavy?}. */
export const kZoo = {
  'ch_PP-OCRv4_det_infer.onnx': [
    { name: 'text320', feeds: [f32('x', [1, 3, 320, 320], 'textdet')] },
    { name: '320x320', feeds: [f32('x', [1, 3, 320, 320], 'u11')] },
    { name: '480x640', feeds: [f32('x', [1, 3, 480, 640], 'u11')] },
  ],
  'ch_PP-OCRv4_rec_infer.onnx': [
    { name: 'text1x48x320', feeds: [f32('x', [1, 3, 48, 320], 'textrec')] },
    { name: '1x48x320', feeds: [f32('x', [1, 3, 48, 320], 'u11')] },
    { name: '2x48x160', feeds: [f32('x', [2, 3, 48, 160], 'u11')] },
  ],
  'ch_ppocr_mobile_v2.0_cls_infer.onnx': [
    { name: '48x192', feeds: [f32('x', [1, 3, 48, 192], 'u11')] },
    { name: 'b4', feeds: [f32('x', [4, 3, 48, 192], 'u11')] },
  ],
  'isnet_quint8.onnx': [{ name: '1024', heavy: true, feeds: [f32('input', [1, 3, 1024, 1024], 'u11')] }],
  'silero_vad_v5.onnx': [
    { name: '16k-576', feeds: silero(576, 16000) },
    { name: '8k-288', feeds: silero(288, 8000) },
    { name: '16k-512', feeds: silero(512, 16000) },
  ],
  'silero_vad_16k_op15.onnx': [{ name: '16k-576', feeds: silero(576, 16000) }],
  'face_detection_front_128x128_barracuda.onnx': [{ name: '128', feeds: [f32('input:0', [1, 128, 128, 3], 'u11')] }],
  'mlsd_320x320_tiny.onnx': [{ name: '320', feeds: [f32('input_image_with_alpha:0', [1, 320, 320, 4], 'u255')] }],
  'hello_deepa.onnx': [{ name: 'x', feeds: [f32('onnx::Flatten_0', [1, 25, 96], 'u11')] }],
  'embedding_model.onnx': [
    { name: 'b1', feeds: [f32('input_1', [1, 76, 32, 1], 'u11')] },
    { name: 'b5', feeds: [f32('input_1', [5, 76, 32, 1], 'u11')] },
  ],
  'hey_jarvis_v0.1.onnx': [{ name: 'x', feeds: [f32('x.1', [1, 16, 96], 'u11')] }],
  'melspectrogram.onnx': [
    { name: '1760', feeds: [f32('input', [1, 1760], 'pcm')] },
    { name: '16000', feeds: [f32('input', [1, 16000], 'pcm')] },
  ],
};

function valuesOf({ dims, kind }, index) {
  if (kind === 'textrec') return recImage(dims[3]);
  if (kind === 'textdet') return detImage(dims[2], dims[3]);
  const count = dims.reduce((a, b) => a * b, 1);
  return makeValues(kind, count, kSeed + 7919 * index);
}

/** The inputs of a case as {name: Tensor}, with the Tensor class of the runtime that is to run it. */
export function feedsOf(zooCase, Tensor) {
  const tensors = zooCase.feeds.map((feed, index) => [
    feed.name,
    feed.kind === 'i64'
      ? new Tensor('int64', BigInt64Array.of(BigInt(feed.value)), feed.dims)
      : new Tensor('float32', valuesOf(feed, index), feed.dims),
  ]);
  return Object.fromEntries(tensors);
}

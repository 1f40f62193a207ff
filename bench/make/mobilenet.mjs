// MobileNetV2 1.0 at 224 x 224 with weights from a seed: its layers, and the ONNX model of them.
import { encode, floatPort, floatTensor, heWeights, node } from './onnx.mjs';

const kStages = [
  // expansion, channels, blocks, stride of the first (table 2 of the paper, arXiv:1801.04381)
  [1, 16, 1, 1],
  [6, 24, 2, 2],
  [6, 32, 3, 2],
  [6, 64, 4, 2],
  [6, 96, 3, 1],
  [6, 160, 3, 2],
  [6, 320, 1, 1],
];
const kClasses = 1000;
const kSeed = 20_801;

/**
 * The layers in their order, each reading the one before. conv: weights OIHW of [outputs, inputs / group, kernel, kernel],
 * no bias, padded as TensorFlow's SAME is for even sizes; `residual` adds what went into the block. The last is `dense`
 * over the mean of the planes, weights [outputs, inputs].
 */
export function mobilenetLayers() {
  const layers = [];
  const conv = (inputs, outputs, kernel, stride, group, clip, residual = false) => {
    const count = (outputs * inputs * kernel * kernel) / group;
    const weights = heWeights(count, (inputs / group) * kernel * kernel, kSeed + layers.length);
    layers.push({ inputs, outputs, kernel, stride, group, clip, residual, weights, first: false });
  };
  conv(3, 32, 3, 2, 1, true);
  let channels = 32;
  for (const [expansion, outputs, blocks, firstStride] of kStages) {
    for (let i = 0; i < blocks; i++) {
      const stride = i === 0 ? firstStride : 1;
      const hidden = channels * expansion;
      const first = layers.length;
      if (expansion !== 1) conv(channels, hidden, 1, 1, 1, true);
      conv(hidden, hidden, 3, stride, hidden, true);
      conv(hidden, outputs, 1, 1, 1, false, stride === 1 && channels === outputs);
      layers[first].first = true;
      channels = outputs;
    }
  }
  conv(channels, 1280, 1, 1, 1, true);
  const dense = { inputs: 1280, outputs: kClasses, weights: heWeights(1280 * kClasses, 1280, kSeed + layers.length) };
  return { layers, dense };
}

/** The model's bytes: input x float32[1, 3, 224, 224], output y float32[1, 1000]. */
export function mobilenetModel() {
  const { layers, dense } = mobilenetLayers();
  const nodes = [];
  const initializer = [floatTensor('low', [], Float32Array.of(0)), floatTensor('high', [], Float32Array.of(6))];
  const add = (...args) => {
    nodes.push(node(...args));
    return nodes.at(-1).output[0];
  };
  let x = 'x';
  let shortcut = x;
  for (const [i, layer] of layers.entries()) {
    const { inputs, outputs, kernel, stride, group, clip, residual, weights } = layer;
    if (layer.first) shortcut = x;
    const bias = new Float32Array(outputs);
    initializer.push(floatTensor(`w${i}`, [outputs, inputs / group, kernel, kernel], weights));
    initializer.push(floatTensor(`b${i}`, [outputs], bias));
    const before = kernel === 3 && stride === 1 ? 1 : 0;
    const after = kernel === 3 ? 1 : 0;
    const pads = [before, before, after, after];
    const sizes = { kernel_shape: [kernel, kernel], strides: [stride, stride], pads, group };
    x = add('Conv', [x, `w${i}`, `b${i}`], `conv${i}`, sizes);
    if (clip) x = add('Clip', [x, 'low', 'high'], `clip${i}`);
    if (residual) x = add('Add', [shortcut, x], `add${i}`);
  }
  initializer.push(floatTensor('dense.w', [dense.outputs, dense.inputs], dense.weights));
  initializer.push(floatTensor('dense.b', [dense.outputs], new Float32Array(dense.outputs)));
  x = add('GlobalAveragePool', [x], 'mean');
  x = add('Flatten', [x], 'flat');
  add('Gemm', [x, 'dense.w', 'dense.b'], 'y', { transB: 1 });
  const graph = {
    name: 'mobilenetv2',
    node: nodes,
    initializer,
    input: [floatPort('x', [1, 3, 224, 224])],
    output: [floatPort('y', [1, kClasses])],
  };
  return encode({ ir_version: 7, opset_import: [{ domain: '', version: 13 }], graph });
}

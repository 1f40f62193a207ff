// MobileNetV2 on tfjs-backend-wasm, whose kernels are XNNPACK's: with the weights of make/mobilenet.mjs, as a converted
// model would run, convolutions with bias and relu6 in one operator.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeValues } from '../tests/models/feeds.mjs';
import { mobilenetLayers } from './make/mobilenet.mjs';

// OIHW to HWIO; a depthwise [c, 1, h, w] becomes [h, w, c, 1].
function filterOf(tf, { outputs, inputs, kernel, group, weights }) {
  const w = tf.tensor4d(weights, [outputs, inputs / group, kernel, kernel]);
  return tf.transpose(w, group === 1 ? [2, 3, 1, 0] : [2, 3, 0, 1]);
}

function build(tf) {
  const { layers, dense } = mobilenetLayers();
  const filters = layers.map((layer) => filterOf(tf, layer));
  const biases = layers.map(({ outputs }) => tf.zeros([outputs]));
  const last = tf.transpose(tf.tensor2d(dense.weights, [dense.outputs, dense.inputs]));
  return (input) =>
    tf.tidy(() => {
      let x = input;
      let shortcut = x;
      for (const [i, { stride, group, clip, residual, first }] of layers.entries()) {
        if (first) shortcut = x;
        const options = { x, filter: filters[i], strides: stride, pad: 'same', bias: biases[i] };
        if (clip) options.activation = 'relu6';
        x = group === 1 ? tf.fused.conv2d(options) : tf.fused.depthwiseConv2d(options);
        if (residual) x = tf.add(shortcut, x);
      }
      return tf.matMul(tf.mean(x, [1, 2]), last);
    });
}

/** @param {{location: string}} spec location: the URL of a package.json in whose folder the tfjs packages are installed */
export async function tfjsWasm({ location }) {
  const require = createRequire(location);
  const tf = require('@tensorflow/tfjs-core');
  const wasm = require('@tensorflow/tfjs-backend-wasm');
  require('@tensorflow/tfjs-backend-cpu');
  wasm.setWasmPaths(`${join(dirname(fileURLToPath(location)), 'node_modules/@tensorflow/tfjs-backend-wasm/dist')}/`);
  wasm.setThreadsCount(1);
  await tf.setBackend('wasm');
  await tf.ready();
  return {
    async create(_model, [{ dims, kind }]) {
      if (tf.getBackend() !== 'wasm') throw new Error(`tfjs runs on ${tf.getBackend()}`);
      const forward = build(tf);
      const nchw = tf.tensor4d(
        makeValues(
          kind,
          dims.reduce((a, b) => a * b, 1),
        ),
        dims,
      );
      const input = tf.transpose(nchw, [0, 2, 3, 1]);
      const variant = (await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT')) ? 'simd' : 'scalar';
      return {
        details: () => ({ version: wasm.version_wasm, variant, threads: 1 }),
        async run() {
          const y = forward(input);
          const data = await y.data();
          y.dispose();
          return { y: { data } };
        },
        macs: () => undefined,
        memory: () => undefined,
        profile: () => undefined,
      };
    },
  };
}

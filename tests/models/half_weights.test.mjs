// Models with float16 weights: they take the memory of their file, and give what their weights' values give.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFloat } from '../conformance/dtypes.mjs';
import { InferenceSession, Tensor } from './package.mjs';
import { modelBytes, node, port } from './tiny_model.mjs';

const kHalf = 10; // TensorProto.DataType
const kFloat = 1;
const kDepth = 1024;

/** Codes of float16 between 2^-6 and 1 of both signs, a tenth of them denormal or 0. */
function codes(count, seed) {
  let state = seed;
  return Uint16Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const exponent = state % 10 ? 9 + ((state >>> 8) % 6) : 0;
    return ((state >>> 16) & 0x83ff) | (exponent << 10);
  });
}

const values = Float64Array.from({ length: 65536 }, (_, code) => decodeFloat('float16', code));
const half = (name, dims, data) => ({ name, dims, data_type: kHalf, raw_data: new Uint8Array(data.buffer) });
const widen = (x, y) => ({ ...node('Cast', [x], [y]), attribute: [{ name: 'to', type: 2, i: kFloat }] });

// Every product reads an input itself, so that results are rounded once.
const kProducts = [
  ...[1, 2, 3].map((i) => ({ name: `square${i}`, type: 'MatMul', columns: 1024 })),
  { name: 'wide', type: 'MatMul', columns: 4096 },
  { name: 'odd', type: 'MatMul', columns: 683 },
  { name: 'dense', type: 'Gemm', columns: 5000, turned: true },
  { name: 'cast', type: 'MatMul', columns: 2048, cast: true },
  { name: 'conv', type: 'Conv', columns: 512 },
].map((product, i) => ({ ...product, weights: codes(kDepth * product.columns, i + 1) }));

function model() {
  const dims = ({ type, columns, turned }) =>
    type === 'Conv' ? [columns, kDepth, 1, 1] : turned ? [columns, kDepth] : [kDepth, columns];
  const input = ({ type, cast }) => (type === 'Conv' ? 'image' : cast ? 'wide_x' : 'x');
  return modelBytes({
    node: [
      widen('x', 'wide_x'),
      widen('w_cast', 'w_cast_wide'),
      ...kProducts.map((p) => ({
        ...node(p.type, [input(p), p.cast ? 'w_cast_wide' : `w_${p.name}`], [p.name]),
        attribute: p.turned ? [{ name: 'transB', type: 2, i: 1 }] : [],
      })),
    ],
    input: [port('x', ['rows', kDepth], kHalf), port('image', [1, kDepth, 1, 'rows'], kHalf)],
    output: kProducts.map((p) =>
      p.type === 'Conv'
        ? port(p.name, [1, p.columns, 1, 'rows'], kHalf)
        : port(p.name, ['rows', p.columns], p.cast ? kFloat : kHalf),
    ),
    initializer: kProducts.map((p) => half(`w_${p.name}`, dims(p), p.weights)),
  });
}

function check({ name, type, columns, turned, cast, weights }, result, x, rows) {
  const byRow = turned || type === 'Conv';
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      let sum = 0;
      let size = 0;
      for (let p = 0; p < kDepth; p++) {
        const term = values[x[i * kDepth + p]] * values[weights[byRow ? j * kDepth + p : p * columns + j]];
        sum += term;
        size += Math.abs(term);
      }
      const at = type === 'Conv' ? j * rows + i : i * columns + j;
      const y = cast ? result[at] : values[result[at]];
      const unit = cast ? 0 : Math.abs(sum) * 2 ** -11 + 2 ** -25;
      assert.ok(Math.abs(y - sum) <= unit + size * 1e-6, `${name} ${i} ${j}: ${y}, not ${sum}`);
    }
  }
}

test('a model of float16 weights takes its file and little more, and gives the products of their values', async () => {
  const bytes = model();
  const session = await InferenceSession.create(bytes);
  const { heap } = session.memory();
  assert.ok(heap < 1.15 * bytes.length, `the heap has ${heap} bytes, the file ${bytes.length}`);
  for (const rows of [1, 3]) {
    const x = codes(rows * kDepth, 99 + rows);
    const image = Uint16Array.from(x, (_, i) => x[(i % rows) * kDepth + Math.floor(i / rows)]);
    const results = await session.run({
      x: new Tensor('float16', x, [rows, kDepth]),
      image: new Tensor('float16', image, [1, kDepth, 1, rows]),
    });
    for (const product of kProducts) {
      const { data } = results[product.name];
      const bits = product.cast ? data : new Uint16Array(data.buffer, data.byteOffset, data.length);
      check(product, bits, x, rows);
    }
  }
  // Activations of a few rows, and a convolution's weights in float32 while it runs.
  assert.ok(session.memory().heap < 1.2 * bytes.length);
  await session.release();
});

// The page reads models by itself, as sardonyx/tools does: both say the same of a model. The page's reader also knows
// where the weights of inner graphs lie.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { fetchZoo } from '../../scripts/fetch-zoo.mjs';
import { ModelProto } from '../conformance/schema.mjs';
import { initializer, modelBytes, node, port } from '../models/tiny_model.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kFiles = ['ch_PP-OCRv4_det_infer.onnx', 'silero_vad_v5.onnx', 'mlsd_320x320_tiny.onnx', 'melspectrogram.onnx'];
let readModel;
let graph;

before(async () => {
  const build = await rolldown({ input: join(root, 'demo/src/model/read_model.ts'), platform: 'node' });
  const { output } = await build.generate({ format: 'esm' });
  ({ readModel } = await import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`));
  ({ graph } = await import(join(root, 'dist/tools.js')));
});

/** Without the places of weights in inner graphs. */
function withoutInner(value, depth = 0) {
  if (Array.isArray(value)) return value.map((item) => withoutInner(item, depth));
  if (value === null || typeof value !== 'object') return value;
  const inside = depth + ('nodes' in value ? 1 : 0);
  const entries = Object.entries(value).filter(([key]) => key !== 'range' || inside < 2);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutInner(item, inside)]));
}

/** A model with what the zoo has not: strings, halves, functions, sparse and empty tensors, types that are no tensors. */
function oddModel() {
  const message = ModelProto.toObject(
    ModelProto.decode(
      modelBytes({
        doc_string: 'all kinds',
        node: [
          { ...node('Relu', ['x'], ['y'], 'relu'), doc_string: 'a node', domain: 'ai.onnx' },
          {
            ...node('Twice', ['y', ''], ['z'], 'call'),
            domain: 'com.example',
            overload: 'one',
            attribute: [
              { name: 'f', type: 1, f: 0.1 },
              { name: 'big', type: 2, i: '9007199254740993' },
              { name: 's', type: 3, s: Buffer.from('text') },
              { name: 'fs', type: 6, floats: [1e-5, Number.POSITIVE_INFINITY] },
              { name: 'is', type: 7, ints: [1, -2] },
              { name: 'ss', type: 8, strings: [Buffer.from('a'), Buffer.from('b')] },
              {
                name: 'g',
                type: 5,
                g: { name: 'inner', node: [node('Exp', ['z'], ['e'])], initializer: [initializer('k', [1], [3])] },
              },
            ],
          },
        ],
        input: [
          port('x', ['n', 2]),
          { name: 'list', type: { sequence_type: { elem_type: { tensor_type: { elem_type: 8 } } } } },
          { name: 'map', type: { map_type: { key_type: 7, value_type: { tensor_type: { elem_type: 1 } } } } },
        ],
        output: [port('z', ['n', 2])],
        initializer: [
          initializer('w', [2], [0.1, Number.NaN]),
          { name: 'none', dims: [0], data_type: 1 },
          { name: 'half', dims: [2], data_type: 10, int32_data: [0x3c00, 0xc000] },
          { name: 'long', dims: [1], data_type: 7, int64_data: ['-9007199254740993'] },
          { name: 'words', dims: [2], data_type: 8, string_data: [Buffer.from('one'), Buffer.from('two')] },
          { name: 'bools', dims: [2], data_type: 9, int32_data: [1, 0] },
          { name: 'doubles', dims: [1], data_type: 11, double_data: [0.1] },
        ],
      }),
    ),
  );
  const functions = [
    {
      name: 'Twice',
      domain: 'com.example',
      overload: 'one',
      input: ['a'],
      output: ['b'],
      node: [node('Add', ['a', 'a'], ['b'])],
    },
  ];
  return Uint8Array.from(ModelProto.encode(ModelProto.fromObject({ ...message, ir_version: 10, functions })).finish());
}

const compare = async (bytes) => assert.deepEqual(withoutInner(readModel(bytes)), withoutInner(await graph(bytes)));

for (const name of kFiles) {
  test(name, async () => {
    const zoo = fetchZoo({ names: [name], log: (line) => console.error(line) });
    await compare(new Uint8Array(readFileSync(join(zoo, name))));
  });
}

test('a model with all kinds of attributes, tensors and types', () => compare(oddModel()));

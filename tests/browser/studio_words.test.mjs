// The studio's words: both languages fill in the same, and what the engine and its tools say has a meaning in Chinese.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { brokenModel, kFaults } from '../js/broken_models.mjs';
import { InferenceSession, Tensor } from '../js/make_model.mjs';
import { goodModel, initializer, modelBytes, node, port } from '../models/tiny_model.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kChinese = /\p{Script=Han}/u;
let words;
let check;

async function bundled(name) {
  const build = await rolldown({ input: join(root, 'demo/src/i18n', name), platform: 'node' });
  const { output } = await build.generate({ format: 'esm' });
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`);
}

before(async () => {
  words = { ...(await bundled('en.ts')), ...(await bundled('zh.ts')), ...(await bundled('zh_engine.ts')) };
  ({ check } = await import(join(root, 'dist/tools.js')));
});

test('both languages fill in the same values', () => {
  const values = (text) => [...new Set(Array.from(text.matchAll(/\{(\w+)/g), ([, name]) => name))].sort();
  for (const [key, text] of Object.entries(words.en)) assert.deepEqual(values(words.zh[key]), values(text), key);
});

test('each kind of finding that the tools know has its words', () => {
  const folder = join(root, 'src/tools');
  const sources = readdirSync(folder).filter((name) => /^(check.*|inference)\.cpp$/.test(name));
  const text = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join();
  // The first argument is the code, or a choice between two.
  const calls = Array.from(text.matchAll(/\b(?:findings_?\.)?(?:error|warning)\(\s*([^,]+),/g), ([, at]) => at);
  const quoted = calls.flatMap((at) => Array.from(at.replace(/.*\?/, '').matchAll(/"(\w+)"/g), ([, code]) => code));
  const codes = new Set(quoted.filter((code) => /^[a-z]+(_[a-z]+)+$/.test(code)));
  assert.deepEqual(
    Object.keys(words.kFindings).filter((code) => !codes.has(code)),
    [],
    'words for what the tools do not find',
  );
  for (const code of codes) assert.match(words.kFindings[code] ?? '', kChinese, code);
});

test('each broken model: its finding is said in Chinese, with the node', async () => {
  for (const name of Object.keys(kFaults)) {
    const { findings } = await check(brokenModel(name));
    assert.ok(findings.length > 0, name);
    for (const finding of findings) {
      const said = words.explainFinding(finding) ?? '';
      assert.match(said, kChinese, `${name}: ${finding.code}`);
      for (const place of [finding.node?.opType, finding.node?.name, finding.attribute, finding.value])
        assert.ok(said.includes(place ?? ''), `${name}: ${said} names no ${place}`);
    }
  }
});

const bytesOf = (text) => Uint8Array.from(Buffer.from(text, 'latin1'));
const at4 = (text) => bytesOf(`\x1c\0\0\0${text}\0\0\0\0`);
const good = goodModel();
const chain = (...names) => ({
  node: names.map(([op, from, to]) => node(op, [from].flat(), [to], op)),
  input: [port('x', [2])],
  output: [port('y', [2])],
});
const entry = (key, value) => ({ key, value });
const outside = {
  ...chain(['Add', ['x', 'w'], 'y']),
  initializer: [{ name: 'w', dims: [2], data_type: 1, data_location: 1, external_data: [entry('location', 'w.bin')] }],
};

test('what files are, if no models, and what models lack', async () => {
  for (const [what, bytes, wanted] of [
    ['nothing', new Uint8Array(), /空/],
    ['HTML', bytesOf('<!doctype html><p>404'), /HTML 页面/],
    ['XML', bytesOf('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'), /XML/],
    ['JSON', bytesOf('{"a": 1}'), /JSON/],
    ['text', bytesOf('no model'), /文本/],
    ['Git LFS', bytesOf('version https://git-lfs.github.com/spec/v1\noid sha256:0'), /Git LFS/],
    ['zip', bytesOf('PK\x03\x04\x14\0\0\0\x08\0'), /zip/],
    ['gzip', bytesOf('\x1f\x8b\x08\0\0\0\0\0'), /gzip 压缩/],
    ['zstd', bytesOf('\x28\xb5\x2f\xfd\0\0\0\0'), /zstd 压缩/],
    ['ORT', at4('ORTM'), /ORT 格式/],
    ['TensorFlow Lite', at4('TFL3'), /TensorFlow Lite/],
    ['GGUF', bytesOf('GGUF\x03\0\0\0'), /GGUF/],
    ['HDF5', bytesOf('\x89HDF\r\n\x1a\n'), /HDF5/],
    ['PNG', bytesOf('\x89PNG\r\n\x1a\n'), /PNG 图片/],
    ['JPEG', bytesOf('\xff\xd8\xff\xe0\0\x10JFIF'), /JPEG 图片/],
    ['wasm', bytesOf('\0asm\x01\0\0\0'), /WebAssembly 模块/],
    ['half a model', good.slice(0, good.length / 2), /不完整/],
    ['an unknown operator', modelBytes(chain(['Frobnicate', 'x', 'y'])), /不支持的算子.*Frobnicate/],
    ['a cycle', modelBytes(chain(['Add', ['x', 'b'], 'a'], ['Relu', 'a', 'b'], ['Neg', 'b', 'y'])), /环.*Add|环.*Relu/],
    ['a value from nowhere', modelBytes(chain(['Add', ['x', 'lost'], 'y'])), /lost”没有任何节点产生/],
    ['an output from nowhere', modelBytes(chain(['Relu', 'x', 'z'])), /输出“y”没有任何节点产生/],
    ['external data', modelBytes(outside), /w\.bin/],
    [
      'shapes',
      modelBytes({ ...chain(['MatMul', ['x', 'w'], 'y']), initializer: [initializer('w', [3, 1], [1, 2, 3])] }),
      /不能相乘/,
    ],
  ]) {
    const error = await InferenceSession.create(bytes).then(
      () => assert.fail(`${what} was taken for a model`),
      (caught) => caught,
    );
    const said = words.explainFailure(error);
    assert.match(said ?? '', wanted, `${what}: ${error.message}`);
  }
});

test('what a run refuses', async () => {
  const session = await InferenceSession.create(good);
  const floats = (dims) => new Tensor('float32', new Float32Array(dims.reduce((a, b) => a * b, 1)), dims);
  for (const [feeds, wanted] of [
    [{}, /缺少输入“x”/],
    [{ x: floats([2, 4]) }, /输入“x”的第 1 维应为 3，而不是 4/],
    [{ x: floats([6]) }, /输入“x”应为 2 维，而不是 1 维/],
    [{ x: new Tensor('int32', new Int32Array(6), [2, 3]) }, /输入“x”的类型应为 float32，而不是 int32/],
  ]) {
    const error = await session.run(feeds).catch((caught) => caught);
    assert.equal(error.code, 'invalid_input');
    assert.match(words.explainFailure(error) ?? '', wanted, error.message);
  }
  await session.release();
});

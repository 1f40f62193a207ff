// Text for models of language: a tokenizer.json that comes with the model, or alone; a vocabulary; bytes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { modelBytes, node, port } from '../models/tiny_model.mjs';
import { choose, file, outputsOf, readyToRun, run, studio } from './studio_page.mjs';

let site;
before(async () => {
  site = await studio();
});
after(() => site?.close());

const kInt64 = 7;
/** Gives back its tokens, and how many of them count. */
const echo = (length) => {
  const dims = [1, length];
  const cast = (from, to) => ({ ...node('Cast', [from], [to]), attribute: [{ name: 'to', type: 2, i: 1 }] });
  return modelBytes({
    node: [cast('input_ids', 'ids'), cast('attention_mask', 'mask'), cast('token_type_ids', 'types')],
    input: ['attention_mask', 'token_type_ids', 'input_ids'].map((name) => port(name, dims, kInt64)),
    output: [port('ids', dims), port('mask', dims), port('types', dims)],
  });
};

const kPieces = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'hello', 'world', '##s', '!'];
const kTokenizer = JSON.stringify({
  version: '1.0',
  added_tokens: [],
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(kPieces.map((piece, i) => [piece, i])),
  },
});
// By the rules of BERT's word pieces: [CLS] hello world ##s ! [UNK] [SEP].
const kText = 'Hello worlds! nonsense';
const kIds = [2, 4, 5, 6, 7, 1, 3];

// All at once: a browser lets a page save a few files only.
async function values(page) {
  const { ids, mask, types } = await outputsOf(page);
  return { ids: [...ids.data], mask: [...mask.data], types: [...types.data] };
}

test('a tokenizer.json beside the model makes its inputs of a text', async () => {
  const page = await site.open();
  await choose(page, file('echo.onnx', echo('sequence')), file('tokenizer.json', kTokenizer, 'application/json'));
  await readyToRun(page);
  await page.fill('#inputs textarea', kText);
  assert.deepEqual(await page.locator('#pieces code').allTextContents(), [
    '[CLS]',
    'hello',
    'world',
    '##s',
    '!',
    '[UNK]',
    '[SEP]',
  ]);
  await run(page);
  assert.deepEqual(await values(page), { ids: kIds, mask: Array(7).fill(1), types: Array(7).fill(0) });
  // A shorter text: all three inputs follow.
  await page.fill('#inputs textarea', 'hello');
  await run(page);
  assert.deepEqual(await values(page), { ids: [2, 4, 3], mask: [1, 1, 1], types: [0, 0, 0] });
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('inputs of a fixed length are filled up, and masked', async () => {
  const page = await site.open();
  await choose(page, file('echo.onnx', echo(9)), file('tokenizer.json', kTokenizer, 'application/json'));
  await readyToRun(page);
  await page.fill('#inputs textarea', kText);
  await run(page);
  const { ids, mask } = await values(page);
  assert.deepEqual(ids, [...kIds, 0, 0]);
  assert.deepEqual(mask, [...Array(7).fill(1), 0, 0]);
  await page.context().close();
});

test('a vocabulary, bytes, and what is no tokenizer', async () => {
  const page = await site.open();
  await choose(page, file('echo.onnx', echo('sequence')));
  await readyToRun(page);
  await page.selectOption('#inputs fieldset >> nth=2 >> select', 'tokens');
  await page.fill('#inputs textarea', 'hi');
  await run(page);
  assert.deepEqual((await values(page)).ids, [104, 105]);
  await page.setInputFiles('#inputs input[type=file]', file('vocab.txt', kPieces.join('\n')));
  await page.waitForFunction(() => document.getElementById('pieces'));
  await page.fill('#inputs textarea', kText);
  await run(page);
  assert.deepEqual((await values(page)).ids, kIds);
  await page.setInputFiles('#inputs input[type=file]', file('other.json', '{"model": 1}'));
  await page.waitForFunction(() => /tokenizer/.test(document.getElementById('error').textContent));
  await page.context().close();
});

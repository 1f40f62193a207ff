// Text for models of language: a tokenizer.json that comes with the model, or alone; a vocabulary; bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initializer, modelBytes, node, port } from '../models/tiny_model.mjs';
import { choose, file, outputsOf, readyToRun, run, studioOfTests } from './studio_page.mjs';

const site = studioOfTests();

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
  added_tokens: kPieces.slice(0, 4).map((content, id) => ({ id, content, special: true })),
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

/** Scores of 5 for the token after each, 0 else; and the tokens. */
const kSize = 10; // two more than the vocabulary, as models fill it up
const successor = () => {
  const dims = [1, 'sequence'];
  const scalar = (name, value) => ({ name, dims: [], data_type: kInt64, int64_data: [value] });
  return modelBytes({
    node: [
      node('Add', ['input_ids', 'one'], ['next']),
      node('OneHot', ['next', 'depth', 'values'], ['logits']),
      node('Identity', ['input_ids'], ['tokens']),
    ],
    input: [port('input_ids', dims, kInt64)],
    output: [port('logits', [...dims, kSize]), port('tokens', dims, kInt64)],
    initializer: [scalar('one', 1), scalar('depth', kSize), initializer('values', [2], [0, 5])],
  });
};

test('scores of the vocabulary are tokens with their probability, and tokens are text again', async () => {
  const page = await site.open();
  await choose(page, file('next.onnx', successor()), file('tokenizer.json', kTokenizer, 'application/json'));
  await readyToRun(page);
  await page.fill('#inputs textarea', 'Hello world');
  await run(page);
  // The likeliest after [SEP], the last token; the other nine are alike.
  const first = page.locator('.tokens tbody tr').first();
  assert.equal(await first.locator('code').textContent(), 'hello');
  const probability = (100 * Math.exp(5)) / (Math.exp(5) + kSize - 1);
  assert.match(await first.textContent(), new RegExp(`${probability.toFixed(1)} %`));
  assert.deepEqual(await page.locator('.likeliest code').allTextContents(), ['[SEP]', 'world', '##s', 'hello']);
  assert.equal(await page.textContent('.decoded'), 'hello world');
  // After "world", by its position, comes the end of the word; it is added to the text without a blank.
  await page.locator('#outputs').getByLabel('Position').fill('2');
  assert.equal(await first.locator('code').textContent(), '##s');
  await first.getByRole('button').click();
  assert.equal(await page.inputValue('#inputs textarea'), 'Hello worlds');
  await run(page);
  assert.equal(await page.textContent('.decoded'), 'hello worlds');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('without a tokenizer, bytes are text again; numbers that are no tokens stay numbers', async () => {
  const page = await site.open();
  await choose(page, file('next.onnx', successor()));
  await readyToRun(page);
  await run(page);
  assert.equal(await page.locator('.decoded, .tokens').count(), 0);
  await page.selectOption('#inputs fieldset select', 'tokens');
  await page.fill('#inputs textarea', 'été');
  await page.evaluate(() => document.getElementById('run').click());
  await page.waitForFunction(() => document.querySelector('.decoded')?.textContent === 'été');
  await page.context().close();
});

// The text for models of language, and its tokens: by a tokenizer.json, by a BERT vocabulary (one piece per line), or the bytes of the text.

import type { Tokenizer } from '@huggingface/tokenizers';
import { signal } from '@preact/signals';
import { t } from '../i18n/index.js';

/** What is typed in for the model, and what makes tokens of it. */
export const text = signal('');
export const tokenizer = signal<Tokenizer | undefined>(undefined);
let reading: Promise<void> = Promise.resolve();
let taken = 0;

export interface Tokens {
  readonly ids: readonly number[];
  readonly pieces: readonly string[];
}

/** What BERT does before its word pieces, told as a tokenizer.json. */
function bertOf(vocabulary: string): object {
  const pieces = vocabulary.trimEnd().split(/\r?\n/);
  const vocab = Object.fromEntries(pieces.map((piece, i) => [piece, i]));
  const lowercase = !('The' in vocab) && !('A' in vocab);
  const ends = '[CLS]' in vocab && '[SEP]' in vocab;
  const pair = (name: string) => [name, vocab[name]];
  const marking = (content: string) => ({ id: vocab[content], content, normalized: false, special: true });
  return {
    model: {
      type: 'WordPiece',
      vocab,
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
    },
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: ends ? { type: 'BertProcessing', cls: pair('[CLS]'), sep: pair('[SEP]') } : null,
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].filter((mark) => mark in vocab).map(marking),
  };
}

/** `source` is a tokenizer.json or a vocabulary. @throws Error where it is neither */
async function made(source: string, name: string): Promise<Tokenizer> {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  try {
    return new Tokenizer(source.trimStart().startsWith('{') ? JSON.parse(source) : bertOf(source), {});
  } catch (error) {
    throw new Error(t('badTokenizer', { name, why: (error as Error).message }));
  }
}

/** From now on the file's, or none. @throws Error where it is no tokenizer */
export function takeTokenizer(file: Blob | undefined): Promise<void> {
  const mine = ++taken;
  tokenizer.value = undefined;
  const read = async (source: Blob) => {
    const found = await made(await source.text(), source instanceof File ? source.name : 'tokenizer.json');
    if (mine === taken) tokenizer.value = found;
  };
  reading = file ? read(file) : Promise.resolve();
  return reading;
}

/** Waits for a tokenizer that is still read. @throws Error where it is none */
export const tokenizerReady = (): Promise<void> => reading;

/** Of the text; without a tokenizer its bytes. */
export function tokensNow(): Tokens {
  if (tokenizer.value) {
    const { ids, tokens } = tokenizer.value.encode(text.value);
    return { ids, pieces: tokens };
  }
  const ids = [...new TextEncoder().encode(text.value)];
  return { ids, pieces: ids.map((byte) => String.fromCharCode(byte)) };
}

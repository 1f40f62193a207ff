// What a model of language gives, back in words: scores of the vocabulary, and tokens.
import { computed } from '@preact/signals';
import type { PlainTensor } from '../engine/messages.js';
import type { Numbers } from './elements.js';
import { text, tokenizer, tokensNow } from './tokenizer.js';

interface Vocabulary {
  /** One more than the largest token. */
  readonly size: number;
  /** The words of tokens, without those that only mark (ends, padding). */
  decode(ids: readonly number[]): string;
  piece(id: number): string;
}

function bytes(): Vocabulary {
  const decode = (ids: readonly number[]) => new TextDecoder().decode(Uint8Array.from(ids));
  return { size: 256, decode, piece: (id) => String.fromCharCode(id) };
}

/** The tokenizer's, or bytes where a text was typed in without one. */
export const vocabulary = computed<Vocabulary | undefined>(() => {
  const used = tokenizer.value;
  if (!used) return text.value === '' ? undefined : bytes();
  let size = 0;
  for (const id of used.get_vocab(true).values()) size = Math.max(size, id + 1);
  return {
    size,
    decode: (ids) => (ids.length > 0 ? used.decode([...ids], { skip_special_tokens: true }) : ''),
    piece: (id) => used.id_to_token(id) ?? String(id),
  };
});

/** Does a tensor look like scores of each token of the vocabulary (which models fill up), or like tokens? */
export function tokenKind({ type, dims }: PlainTensor, numbers: Numbers): 'next' | 'decoded' | undefined {
  const size = vocabulary.value?.size ?? 0;
  const width = dims.at(-1) ?? 0;
  if (size < 2 || dims.length < 1 || dims.length > 3) return undefined;
  if (/^(float|bfloat)/.test(type)) {
    const exact = !tokenizer.value;
    return width >= size && width <= (exact ? size : 1.1 * size + 1024) ? 'next' : undefined;
  }
  if (!/^int(32|64)$/.test(type)) return undefined;
  for (let i = 0; i < numbers.length; ++i) if (!(numbers[i] >= 0 && numbers[i] < size)) return undefined;
  return 'decoded';
}

/** Which of the places the next token is asked of: that of a mask, or the last of the text. */
export function likelyPlace(places: number): number {
  const { pieces } = tokensNow();
  const mask = pieces.findIndex((piece) => /^(\[MASK\]|<mask>)$/i.test(piece));
  return Math.max(0, Math.min(mask < 0 ? pieces.length - 1 : mask, places - 1));
}

/** Probabilities of a row of scores, or the row itself where it has them already. */
export function probabilities(row: readonly number[]): number[] {
  const sum = row.reduce((a, b) => a + b, 0);
  if (Math.abs(sum - 1) < 1e-3 && row.every((p) => p >= 0)) return [...row];
  const most = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const parts = row.map((score) => Math.exp(score - most));
  const all = parts.reduce((a, b) => a + b, 0);
  return parts.map((part) => part / all);
}

/** The typed text with one token more. */
export function addToken(id: number): void {
  const words = vocabulary.value;
  if (!words) return;
  const { ids } = tokensNow();
  const [before, after] = [words.decode(ids), words.decode([...ids, id])];
  text.value += after.startsWith(before) ? after.slice(before.length) : words.decode([id]);
}

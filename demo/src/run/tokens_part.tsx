// The text of a model of language: what is typed in, its tokens, and the file that says which they are.
import { FileField } from '../app/file_field.js';
import { t } from '../i18n/index.js';
import { problem } from '../state.js';
import { takeTokenizer, text, tokenizer, tokensNow } from './tokenizer.js';

const kShown = 64;

export function TokensPart() {
  const { pieces } = tokensNow();
  const take = async (file: File) => {
    problem.value = undefined;
    try {
      await takeTokenizer(file);
    } catch (error) {
      problem.value = { message: (error as Error).message };
    }
  };
  return (
    <>
      <textarea
        rows={2}
        aria-label={t('tokenText')}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      {tokenizer.value && pieces.length > 0 && (
        <p class="pieces" id="pieces">
          {pieces.slice(0, kShown).map((piece, i) => (
            <code key={`${i} ${piece}`}>{piece}</code>
          ))}
          {pieces.length > kShown && ` +${pieces.length - kShown}`}
        </p>
      )}
      <div class="field">
        <span>{t('tokenizerFile')}</span>
        <FileField label={t('tokenizerFile')} accept=".json,.txt" take={take} />
      </div>
      {!tokenizer.value && <p class="soft">{t('noTokenizer')}</p>}
    </>
  );
}

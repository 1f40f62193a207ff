// The page without a model: drop one, choose one, or take a sample.
import { openFiles } from '../actions.js';
import { t } from '../i18n/index.js';
import { SampleList } from '../samples/sample_list.js';

export function FileChoice() {
  return (
    <label id="drop" class="drop" for="files">
      <svg viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
        <circle cx="10" cy="24" r="6" />
        <circle cx="38" cy="11" r="6" />
        <circle cx="38" cy="37" r="6" />
        <path d="M16 22 32 13M16 26l16 9" />
      </svg>
      <strong>{t('dropTitle')}</strong>
      <span>{t('dropHint')}</span>
      <span class="button primary">{t('chooseFiles')}</span>
      <input
        id="files"
        type="file"
        multiple
        class="unseen"
        onChange={(event) => {
          openFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}

export function Home() {
  return (
    <div class="home">
      <p class="lead">
        {t('tagline')} <span class="soft">{t('privacy')}</span>
      </p>
      <FileChoice />
      <SampleList />
    </div>
  );
}

// What went wrong, and how far something that takes its time has come.
import { cancel } from '../actions.js';
import { explained, t } from '../i18n/index.js';
import { busy, model, problem, progress } from '../state.js';
import { bytesText } from './text.js';

function Trouble() {
  const { value } = problem;
  return (
    <div id="error" role="alert" class={value?.calm ? 'trouble calm' : 'trouble'} hidden={!value}>
      {value && (
        <>
          <p>
            {!value.calm && <strong>{t('errorTitle')}</strong>} {value.failure && explained(value.failure)}{' '}
            <span lang={value.failure ? 'en' : undefined}>{value.message}</span>
          </p>
          <button
            type="button"
            class="quiet"
            aria-label={t('dismiss')}
            onClick={() => {
              problem.value = undefined;
            }}
          >
            ×
          </button>
        </>
      )}
    </div>
  );
}

function progressText(): string {
  const { value } = progress;
  if (busy.value === 'fetch') return value ? bytesText(value.loaded) : '';
  if (!value) return '';
  if (value.phase === 'run') return value.total > 1 ? t('runIs', { i: value.loaded, n: value.total }) : t('running');
  if (value.phase !== 'reading') return t('preparing');
  const size = bytesText(value.loaded);
  return value.total ? t('readingOf', { size, total: bytesText(value.total) }) : t('reading', { size });
}

/** Shown after a moment only (by its style), so that quick work does not flash. */
function Going() {
  const { value } = progress;
  const title =
    busy.value === 'run' ? t('running') : busy.value === 'fetch' ? t('fetching') : t('loading', { name: name() });
  const known = value?.total && value.phase !== 'preparing' && value.phase !== 'ready';
  return (
    <div id="progress" class="going" hidden={busy.value === ''}>
      {busy.value !== '' && (
        <>
          <span class="going-title">{title}</span>
          <progress aria-label={title} {...(known ? { max: value.total, value: value.loaded } : {})} />
          <span class="going-text" role="status">
            {progressText()}
          </span>
          <button type="button" id="cancel" onClick={cancel}>
            {t('cancel')}
          </button>
        </>
      )}
    </div>
  );
}

const name = () => model.value?.name ?? '';

export function Notices() {
  return (
    <div class="notices">
      <Trouble />
      <Going />
    </div>
  );
}

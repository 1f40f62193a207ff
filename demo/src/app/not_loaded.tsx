// What a view shows that needs the session, while there is none.
import { restart } from '../actions.js';
import { t } from '../i18n/index.js';
import { busy, engineOptions } from '../state.js';

export function NotLoaded() {
  if (busy.value === 'load') return null;
  return (
    <div class="empty">
      <p>{t('notLoaded')}</p>
      <button type="button" class="load-again" onClick={() => restart(engineOptions.value)}>
        {t('loadAgain')}
      </button>
    </div>
  );
}

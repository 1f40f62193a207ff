// The bar at the top: the name of the model, the tabs of its views, language and colours.
import { close } from '../actions.js';
import { kLanguages, type Language, language, t } from '../i18n/index.js';
import icon from '../icon.svg';
import { model, view } from '../state.js';
import { type Theme, theme } from './preferences.js';
import { shownViews } from './views.js';

function move(event: KeyboardEvent): void {
  const views = shownViews();
  const at = views.findIndex(({ name }) => name === view.value);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = views[(to + views.length) % views.length];
  view.value = next.name;
  document.getElementById(`tab-${next.name}`)?.focus();
}

function Tabs() {
  return (
    <div class="tabs" role="tablist" aria-label={t('views')} onKeyDown={move}>
      {shownViews().map(({ name, title, short }) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={view.value === name}
          aria-controls={`view-${name}`}
          tabIndex={view.value === name ? 0 : -1}
          onClick={() => {
            view.value = name;
          }}
        >
          {short ? (
            <>
              <span class="wide">{t(title)}</span>
              <span class="narrow">{t(short)}</span>
            </>
          ) : (
            t(title)
          )}
        </button>
      ))}
    </div>
  );
}

function Settings() {
  const themes: readonly (readonly [Theme, string])[] = [
    ['auto', t('themeAuto')],
    ['light', t('themeLight')],
    ['dark', t('themeDark')],
  ];
  return (
    <div class="settings">
      <select
        id="language"
        aria-label={t('language')}
        value={language.value}
        onChange={(event) => {
          language.value = event.currentTarget.value as Language;
        }}
      >
        {kLanguages.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <select
        id="theme"
        aria-label={t('theme')}
        value={theme.value}
        onChange={(event) => {
          theme.value = event.currentTarget.value as Theme;
        }}
      >
        {themes.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

export function Bar() {
  return (
    <header class="bar">
      <h1 class="brand">
        <img src={icon} alt="" width="24" height="24" /> Sardonyx<span class="brand-more"> Studio</span>
      </h1>
      {model.value && (
        <div class="opened">
          <span id="model-name" title={model.value.name}>
            {model.value.name}
          </span>
          <button type="button" class="quiet" id="close" aria-label={t('close')} title={t('openOther')} onClick={close}>
            ×
          </button>
        </div>
      )}
      {model.value && <Tabs />}
      <Settings />
    </header>
  );
}

// The page's start.
import { render } from 'preact';
import { App } from './app/app.js';
import { keepFocus } from './app/focus.js';
import { keepHistory } from './app/history.js';
import { applyPreferences } from './app/preferences.js';

applyPreferences();
keepHistory();
keepFocus();
render(<App />, document.getElementById('app') as HTMLElement);

// After the page is there, so that it does not wait for the files that are kept.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  addEventListener('load', () => {
    navigator.serviceWorker.register(new URL('sw.js', document.baseURI)).catch(() => {});
  });
}

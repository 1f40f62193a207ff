// The page's start.
import { render } from 'preact';
import { App } from './app/app.js';
import { applyPreferences } from './app/preferences.js';

applyPreferences();
render(<App />, document.getElementById('app') as HTMLElement);

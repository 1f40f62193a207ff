// The page's frame: the bar, what is wrong, what goes on, and the view that is chosen.
import { useEffect } from 'preact/hooks';
import { openFiles } from '../actions.js';
import { t } from '../i18n/index.js';
import { model, view } from '../state.js';
import { Bar } from './bar.js';
import { Home } from './home.js';
import { Notices } from './notices.js';
import { shownViews } from './views.js';

function useDrop(): void {
  useEffect(() => {
    const onDrag = (event: DragEvent) => {
      event.preventDefault();
      document.body.classList.toggle('dragging', event.type === 'dragover');
      if (event.type === 'drop' && event.dataTransfer) openFiles([...event.dataTransfer.files]);
    };
    const types = ['dragover', 'dragleave', 'drop'] as const;
    for (const type of types) addEventListener(type, onDrag);
    return () => {
      for (const type of types) removeEventListener(type, onDrag);
    };
  }, []);
}

/** All views of a model stay on the page, so that what was filled in stays too; one is shown. */
function Views() {
  return (
    <>
      {shownViews().map(({ name, View }) => (
        <section
          key={name}
          id={`view-${name}`}
          class={`view view-${name}`}
          role="tabpanel"
          aria-labelledby={`tab-${name}`}
          tabIndex={name === 'model' ? 0 : undefined}
          hidden={view.value !== name}
        >
          <View />
        </section>
      ))}
    </>
  );
}

export function App() {
  useDrop();
  return (
    <>
      <a class="skip" href="#content">
        {t('skip')}
      </a>
      <Bar />
      <main id="content" tabIndex={-1}>
        <Notices />
        {model.value ? <Views key={model.value} /> : <Home />}
      </main>
    </>
  );
}

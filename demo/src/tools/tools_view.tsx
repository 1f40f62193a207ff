// What can be done with the model's file: checked, simplified, written out as text.
import { useState } from 'preact/hooks';
import { t } from '../i18n/index.js';
import { model } from '../state.js';
import { CheckPanel } from './check_panel.js';
import { cancelTool, printModel, working } from './client.js';
import { SimplifyPanel } from './simplify_panel.js';

const kMostText = 200_000;

function TextPanel() {
  const opened = model.value;
  const [text, setText] = useState<string | undefined>(undefined);
  if (!opened) return null;
  return (
    <section aria-labelledby="text-title">
      <h2 id="text-title">{t('textTitle')}</h2>
      <button
        type="button"
        id="print"
        aria-disabled={working.value !== undefined}
        onClick={async () => working.value === undefined && setText(await printModel(opened))}
      >
        {t('writeOut')}
      </button>
      {text !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <pre tabIndex={0} id="text">
          {text.slice(0, kMostText)}
        </pre>
      )}
    </section>
  );
}

export function ToolsView() {
  return (
    <div class="tools stack">
      {working.value !== undefined && (
        <p class="fields tool-going">
          <span class="soft">{t('running')}</span>
          <button type="button" onClick={() => cancelTool()}>
            {t('cancel')}
          </button>
        </p>
      )}
      <CheckPanel />
      <SimplifyPanel />
      <TextPanel />
    </div>
  );
}

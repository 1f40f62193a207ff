// The nodes as a list that can be searched: beside the drawing, and for those who do not see it.

import { countText } from '../app/text.js';
import { t } from '../i18n/index.js';
import { categoryOf, kCategories } from './categories.js';
import { useDeferredValue, useMemo, useState } from './deferred.js';
import { isFoldedAway } from './keys.js';
import type { Entry, ModelIndex } from './model_index.js';
import type { OpenGraph } from './open_graph.js';

const kPage = 100;

/** Without a search all nodes that have boxes; else those with its words in operator or name, then
 *  those with them in the names of outputs and inputs. */
export function matching(index: ModelIndex, search: string): readonly Entry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    return index.entries.filter(({ node, scope }) => !isFoldedAway(node, scope.constants, scope.body.outputs));
  }
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const ranked: Entry[][] = [[], [], []];
  for (const entry of index.entries) {
    const { opType, name, outputs, inputs } = entry.node;
    if (opType !== 'Constant' && has(`${opType} ${name}`)) ranked[0].push(entry);
    else if (has(`${opType} ${name} ${outputs.join(' ')}`)) ranked[1].push(entry);
    else if (has(`${opType} ${name} ${outputs.join(' ')} ${inputs.join(' ')}`)) ranked[2].push(entry);
  }
  return ranked.flat();
}

function Row({ entry, graph }: { entry: Entry; graph: OpenGraph }) {
  const { node, key } = entry;
  const chosen = graph.selected.value === key;
  return (
    <li>
      <button
        type="button"
        class="node-row"
        aria-current={chosen ? 'true' : undefined}
        onClick={() => graph.show(key)}
        style={{ '--depth': key.split('/').length - 1 }}
      >
        <span class={`dot dot-${kCategories[categoryOf(node.opType)]}`} aria-hidden="true" />
        <span class="node-op">{node.opType}</span>
        <span class="node-name">{node.name || node.outputs[0]}</span>
      </button>
    </li>
  );
}

export function NodeList({ graph }: { graph: OpenGraph }) {
  const index = graph.index.value;
  const [search, setSearch] = useState('');
  const [shown, setShown] = useState(kPage);
  const late = useDeferredValue(search);
  const found = useMemo(() => (index ? matching(index, late) : []), [index, late]);
  return (
    <div class="node-list">
      <input
        id="search"
        type="search"
        placeholder={t('search')}
        aria-label={t('search')}
        value={search}
        onInput={(event) => {
          setSearch(event.currentTarget.value);
          setShown(kPage);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && found[0]) graph.show(found[0].key);
        }}
      />
      <p class="soft found" role="status">
        {t('foundNodes', { count: countText(found.length) })}
      </p>
      <ul class="plain" aria-label={t('nodes')}>
        {found.slice(0, shown).map((entry) => (
          <Row key={entry.key} entry={entry} graph={graph} />
        ))}
      </ul>
      {found.length > shown && (
        <button type="button" class="more" onClick={() => setShown(shown + 5 * kPage)}>
          {t('showMore')}
        </button>
      )}
    </div>
  );
}

// The graph of the model: its list of nodes, its drawing, and what is known of the chosen node.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { focusOn } from '../app/focus.js';
import { t } from '../i18n/index.js';
import { heatOf } from '../profile/profile.js';
import { lastRun, openGraph, showHeat } from '../state.js';
import { GraphCanvas } from './graph_canvas.js';
import { NodeList } from './node_list.js';
import { NodePanel } from './node_panel.js';
import type { OpenGraph } from './open_graph.js';

/** Where the list and the panel lie over the drawing: as in style/graph.css. */
const kNarrow = '(max-width: 50rem)';

/** Escape closes what lies over the drawing, and the panel. */
function useEscape(graph: OpenGraph | undefined, listed: boolean, close: () => void) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      // The first Escape empties a search.
      if (target instanceof HTMLInputElement && target.value !== '') return;
      if (listed) {
        close();
        focusOn('.list-toggle');
      } else if (graph && graph.selected.value !== undefined) {
        graph.selected.value = undefined;
        focusOn('#view-graph canvas');
      } else return;
      event.preventDefault();
    };
    current?.addEventListener('keydown', onKey);
    return () => current?.removeEventListener('keydown', onKey);
  }, [graph, listed]);
  return place;
}

export function GraphView() {
  const graph = openGraph.value;
  const [listed, setListed] = useState(false);
  const profile = lastRun.value?.profile;
  const index = graph?.index.value;
  const heat = useMemo(() => (profile && index ? heatOf(profile, index) : undefined), [profile, index]);
  const place = useEscape(graph, listed, () => setListed(false));
  const chosen = graph?.selected.value;
  useEffect(() => {
    // What was chosen in the list would be under it.
    if (chosen === undefined || !listed || !matchMedia(kNarrow).matches) return;
    setListed(false);
    focusOn('#view-graph canvas');
  }, [chosen]);
  if (!graph) return null;
  const coloured = heat !== undefined && showHeat.value;
  return (
    <div
      ref={place}
      class={`graph ${listed ? 'graph-listed' : ''} ${graph.selected.value === undefined ? '' : 'graph-chosen'}`}
    >
      <button
        type="button"
        class="list-toggle"
        aria-expanded={listed}
        aria-controls="node-list"
        onClick={() => setListed(!listed)}
      >
        {t('nodeList')}
      </button>
      <nav id="node-list" aria-label={t('nodeList')}>
        <NodeList graph={graph} />
      </nav>
      <div class="graph-place">
        <GraphCanvas graph={graph} heat={coloured ? heat : undefined} />
        {heat && (
          <div class="heat">
            <button
              type="button"
              id="heat-toggle"
              aria-pressed={coloured}
              onClick={() => {
                showHeat.value = !coloured;
              }}
            >
              {coloured ? t('hideHeat') : t('showHeat')}
            </button>
            {coloured && <span class="heat-scale">{t('heatLegend')}</span>}
          </div>
        )}
      </div>
      <NodePanel graph={graph} />
    </div>
  );
}

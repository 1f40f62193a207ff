// The graph of the model: its list of nodes, its drawing, and what is known of the chosen node.
import { useMemo, useState } from 'preact/hooks';
import { t } from '../i18n/index.js';
import { heatOf } from '../profile/profile.js';
import { lastRun, openGraph, showHeat } from '../state.js';
import { GraphCanvas } from './graph_canvas.js';
import { NodeList } from './node_list.js';
import { NodePanel } from './node_panel.js';

export function GraphView() {
  const graph = openGraph.value;
  const [listed, setListed] = useState(false);
  const profile = lastRun.value?.profile;
  const index = graph?.index.value;
  const heat = useMemo(() => (profile && index ? heatOf(profile, index) : undefined), [profile, index]);
  if (!graph) return null;
  const coloured = heat !== undefined && showHeat.value;
  return (
    <div class={`graph ${listed ? 'graph-listed' : ''} ${graph.selected.value === undefined ? '' : 'graph-chosen'}`}>
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

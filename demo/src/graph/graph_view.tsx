// The graph of the model: its list of nodes, its drawing, and what is known of the chosen node.
import { useState } from 'preact/hooks';
import { t } from '../i18n/index.js';
import { openGraph } from '../state.js';
import { GraphCanvas } from './graph_canvas.js';
import { NodeList } from './node_list.js';
import { NodePanel } from './node_panel.js';

export function GraphView() {
  const graph = openGraph.value;
  const [listed, setListed] = useState(false);
  if (!graph) return null;
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
      <GraphCanvas graph={graph} />
      <NodePanel graph={graph} />
    </div>
  );
}

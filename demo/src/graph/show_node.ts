// A jump from another view to a node in the graph.
import { focusOn } from '../app/focus.js';
import { openGraph, view } from '../state.js';

export function showNode(key: string): void {
  view.value = 'graph';
  openGraph.value?.show(key);
  focusOn('#view-graph canvas');
}

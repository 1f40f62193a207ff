// The layout of graphs of moderate size: dagre's.
import { Graph, layout } from '@dagrejs/dagre';
import { kGapX, kGapY, type LayoutInput, type LayoutResult } from './layout_types.js';

export function dagreLayout({ sizes, from, to }: LayoutInput): LayoutResult {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ nodesep: kGapX, ranksep: kGapY, ranker: sizes.length > 1200 ? 'longest-path' : 'network-simplex' });
  graph.setDefaultEdgeLabel(() => ({}));
  const count = sizes.length / 2;
  for (let i = 0; i < count; ++i) graph.setNode(String(i), { width: sizes[2 * i], height: sizes[2 * i + 1] });
  for (let e = 0; e < from.length; ++e) graph.setEdge(String(from[e]), String(to[e]), {}, String(e));
  layout(graph);
  const places = new Float32Array(2 * count);
  for (let i = 0; i < count; ++i) {
    const { x = 0, y = 0 } = graph.node(String(i)) as { x?: number; y?: number };
    places[2 * i] = x - sizes[2 * i] / 2;
    places[2 * i + 1] = y - sizes[2 * i + 1] / 2;
  }
  const routes = Array.from({ length: from.length }, (_, e) => {
    const { points = [] } = graph.edge(String(from[e]), String(to[e]), String(e)) as {
      points?: { x: number; y: number }[];
    };
    return points.slice(1, -1).flatMap(({ x, y }) => [x, y]);
  });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { places, width, height, routes };
}

// What a profiled run says, put together: time by node and by operator, and where each node is in the graph.
import type { ProfileEntry } from 'sardonyx';
import type { ModelIndex } from '../graph/model_index.js';
import { heatColour } from '../run/drawing.js';

export interface NodeTime {
  readonly node: string;
  readonly opType: string;
  readonly shapes: string;
  readonly count: number;
  readonly ms: number;
}
/** The sum of the main graph's nodes, in milliseconds: those of subgraphs are part of their nodes. */
export const totalOf = (profile: readonly ProfileEntry[]): number =>
  profile.reduce((sum, { depth, duration }) => sum + (depth === 0 ? duration : 0), 0);

/** The slowest first; a node of a loop's body that ran several times is one row. */
export function byNode(profile: readonly ProfileEntry[]): NodeTime[] {
  const rows = new Map<string, { node: string; opType: string; shapes: string; count: number; ms: number }>();
  for (const { node, opType, shapes, duration } of profile) {
    const key = `${opType}\0${node}`;
    const row = rows.get(key) ?? { node, opType, shapes, count: 0, ms: 0 };
    rows.set(key, { ...row, count: row.count + 1, ms: row.ms + duration });
  }
  return [...rows.values()].sort((a, b) => b.ms - a.ms);
}

/** Colours for the keys of nodes: the slowest node at the end of the scale, those that are part of others have none. */
export function heatOf(profile: readonly ProfileEntry[], index: ModelIndex): (key: string) => string | undefined {
  const rows = byNode(profile);
  const most = rows[0]?.ms || 1;
  const colours = new Map<string, string>();
  for (const { node, ms } of rows) {
    const key = index.named(node)?.key;
    if (key === undefined) continue;
    const [r, g, b] = heatColour(0.45 + 0.55 * Math.sqrt(ms / most)).map(Math.round);
    colours.set(key, `rgb(${r} ${g} ${b})`);
  }
  return (key) => colours.get(key);
}

// What a profile says, put together: by operator, and by what ran in the subgraphs of its nodes.
import type { ProfileEntry } from '../native.js';
import type { OperatorTime } from './run_types.js';

interface Ran {
  readonly entry: ProfileEntry;
  readonly inner: readonly Ran[];
}

// Inner nodes end before the node that runs them does, and after all that ran before it.
function treeOf(profile: readonly ProfileEntry[]): Ran[] {
  const byDepth: Ran[][] = [];
  for (const entry of profile) {
    const inner = byDepth[entry.depth + 1] ?? [];
    byDepth[entry.depth + 1] = [];
    byDepth[entry.depth] ??= [];
    byDepth[entry.depth]?.push({ entry, inner });
  }
  return byDepth[0] ?? [];
}

interface Kind {
  readonly nodes: Set<string>;
  readonly inner: [place: string, ran: readonly Ran[]][];
  runs: number;
  ms: number;
}

function timesOf(lists: readonly (readonly [place: string, ran: readonly Ran[]])[]): OperatorTime[] {
  const kinds = new Map<string, Kind>();
  for (const [place, list] of lists) {
    for (const { entry, inner } of list) {
      const kind = kinds.get(entry.opType) ?? { nodes: new Set(), inner: [], runs: 0, ms: 0 };
      kinds.set(entry.opType, kind);
      // Bodies may have nodes of the same name.
      const name = `${place}/${entry.node}`;
      kind.nodes.add(name);
      kind.runs++;
      kind.ms += entry.duration;
      if (inner.length > 0) kind.inner.push([name, inner]);
    }
  }
  return [...kinds]
    .map(([opType, { nodes, runs, ms, inner }]) => ({ opType, nodes: nodes.size, runs, ms, inside: timesOf(inner) }))
    .sort((a, b) => b.ms - a.ms);
}

/** The time of a profile by operator, the largest first; what ran in subgraphs stands inside of what ran it. */
export function timeByOperator(profile: readonly ProfileEntry[]): OperatorTime[] {
  return timesOf([['', treeOf(profile)]]);
}

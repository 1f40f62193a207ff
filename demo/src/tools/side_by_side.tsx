// The model before and after simplification: what is chosen in one graph is shown in the other.
import { effect, untracked } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { GraphCanvas } from '../graph/graph_canvas.js';
import type { ModelIndex } from '../graph/model_index.js';
import { OpenGraph } from '../graph/open_graph.js';
import { t } from '../i18n/index.js';
import { openGraph } from '../state.js';

const kFar = 2000;

/** `same`: makes the same value; else the first that comes after what was taken out or merged. */
export interface Counterpart {
  readonly key: string;
  readonly same: boolean;
}

/** What a box of one graph is in the other; undefined where nothing that depends on it is there. */
export function counterpart(key: string, from: ModelIndex, to: ModelIndex): Counterpart | undefined {
  if (/^(in|out):/.test(key)) return to.has(key) ? { key, same: true } : undefined;
  const seen = new Set([key]);
  for (const at of seen) {
    const entry = from.get(at);
    const found = /^out:/.test(at)
      ? to.has(at) && at
      : entry?.node.outputs.map((name) => name && to.makerAnywhere(name)).find((maker) => maker);
    if (found) return { key: found, same: at === key };
    for (const name of entry?.node.outputs ?? []) for (const taker of entry?.scope.takers(name) ?? []) seen.add(taker);
    if (seen.size > kFar) return undefined;
  }
  return undefined;
}

const titleOf = (index: ModelIndex, key: string) => {
  const node = index.get(key)?.node;
  return node ? `${node.opType} ${node.name}`.trim() : key.replace(/^(in|out):/, '');
};

interface Found {
  readonly key: 'sameNode' | 'nextNode' | 'noCounterpart';
  readonly name: string;
  readonly other: string;
}

/** Where something is chosen in one of the graphs, its counterpart is chosen in the other; says which it is. */
function useTogether(left: OpenGraph | undefined, right: OpenGraph): Found | undefined {
  const [said, setSaid] = useState<Found | undefined>(undefined);
  useEffect(() => {
    if (!left) return;
    // What was chosen by following: that choice goes no further. Effects run at once, so nothing comes between.
    let followed: string | undefined;
    const follow = (from: OpenGraph, to: OpenGraph) => {
      const key = from.selected.peek();
      const [here, there] = [from.index.peek(), to.index.peek()];
      const mine = key !== followed;
      followed = undefined;
      if (!mine || key === undefined || !here || !there) return;
      const found = counterpart(key, here, there);
      const other = found ? titleOf(there, found.key) : '';
      setSaid({
        key: found?.same ? 'sameNode' : found ? 'nextNode' : 'noCounterpart',
        name: titleOf(here, key),
        other,
      });
      if (!found || to.selected.peek() === found.key) return;
      followed = found.key;
      to.show(found.key);
    };
    const stops = [
      // What is chosen already is looked for once the other graph is read.
      effect(() => {
        void left.selected.value;
        void right.index.value;
        untracked(() => follow(left, right));
      }),
      effect(() => {
        void right.selected.value;
        untracked(() => follow(right, left));
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [left, right]);
  return said;
}

export function SideBySide({ blob }: { blob: Blob }) {
  const left = openGraph.value;
  const right = useMemo(() => new OpenGraph(blob, []), [blob]);
  useEffect(() => {
    right
      .read()
      .then(() => right.infer())
      .catch(() => {});
    return () => right.close();
  }, [right]);
  const said = useTogether(left, right);
  if (!left) return null;
  return (
    <>
      <p class="soft" id="counterpart" role="status">
        {said ? t(said.key, { name: said.name, other: said.other }) : t('sideBySideHint')}
      </p>
      <div class="side-by-side">
        <figure>
          <figcaption>{t('before')}</figcaption>
          <GraphCanvas graph={left} scrolls />
        </figure>
        <figure>
          <figcaption>{t('after')}</figcaption>
          <GraphCanvas graph={right} scrolls />
        </figure>
      </div>
    </>
  );
}

// The model before and after simplification: what is chosen in one graph is shown in the other.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
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

/** Where something is chosen in one of the graphs, its counterpart is chosen in the other; the text says which it is. */
function useTogether(left: OpenGraph | undefined, right: OpenGraph): string {
  const [text, setText] = useState('');
  // What was chosen by the other side: that choice goes no further.
  const followed = useRef<string | undefined>(undefined);
  const follow = (from: OpenGraph | undefined, to: OpenGraph | undefined) => {
    const key = from?.selected.value;
    const [here, there] = [from?.index.value, to?.index.value];
    if (key === undefined || !here || !there || key === followed.current) {
      followed.current = undefined;
      return;
    }
    const found = counterpart(key, here, there);
    const name = titleOf(here, key);
    if (!found) return setText(t('noCounterpart', { name }));
    const other = titleOf(there, found.key);
    setText(found.same ? t('sameNode', { name, other }) : t('nextNode', { name, other }));
    if (to?.selected.value === found.key) return;
    followed.current = found.key;
    to?.show(found.key);
  };
  useEffect(() => follow(left, right), [left?.selected.value]);
  useEffect(() => follow(right, left), [right.selected.value]);
  return text;
}

export function SideBySide({ blob }: { blob: Blob }) {
  const left = openGraph.value;
  const right = useMemo(() => new OpenGraph(blob, []), [blob]);
  useEffect(() => {
    right.read().catch(() => {});
    return () => right.close();
  }, [right]);
  const text = useTogether(left, right);
  if (!left) return null;
  return (
    <>
      <p class="soft" id="counterpart" role="status">
        {text || t('sideBySideHint')}
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

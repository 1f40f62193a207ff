// The heap after each run as a line, and what the memory is for.

import { Facts } from '../app/facts.js';
import { bytesText } from '../app/text.js';
import type { RunResult } from '../engine/messages.js';
import { type Key, t } from '../i18n/index.js';

const kParts: readonly (readonly ['weights' | 'packed' | 'arena' | 'scratch' | 'heap', Key])[] = [
  ['weights', 'memoryWeights'],
  ['packed', 'memoryPacked'],
  ['arena', 'memoryArena'],
  ['scratch', 'memoryScratch'],
  ['heap', 'memoryHeap'],
];

export function MemoryChart({ result, atLoad }: { result: RunResult; atLoad: number }) {
  const heaps = [atLoad, ...result.heaps];
  const most = Math.max(...heaps);
  const x = (i: number) => (heaps.length > 1 ? (i * 600) / (heaps.length - 1) : 0);
  const points = heaps.map((heap, i) => `${x(i).toFixed(1)},${(96 - (88 * heap) / most).toFixed(1)}`);
  return (
    <section class="memory" aria-labelledby="memory-title">
      <h2 id="memory-title">{t('memoryTitle')}</h2>
      <svg viewBox="0 0 600 100" preserveAspectRatio="none" role="img" aria-label={t('memoryOverTime')}>
        <polygon points={`0,100 ${points.join(' ')} 600,100`} />
        <polyline points={points.join(' ')} />
      </svg>
      <p class="soft memory-axis">
        <span>{t('afterLoading', { size: bytesText(atLoad) })}</span>
        <span>{t('afterRuns', { n: result.heaps.length, size: bytesText(result.heaps.at(-1) ?? 0) })}</span>
      </p>
      <Facts rows={kParts.map(([name, text]) => [t(text), bytesText(result.memory[name])])} />
    </section>
  );
}

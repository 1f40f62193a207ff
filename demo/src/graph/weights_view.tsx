// A constant's elements: their range, a histogram, the first of them, and all as a file.
import { useEffect, useState } from 'preact/hooks';
import type { TensorDescription } from '../../../web/src/tools/types.js';
import { save } from '../app/save.js';
import { numberText, rangeText } from '../app/text.js';
import { t } from '../i18n/index.js';
import { elementsOf } from '../model/dtypes.js';
import { writeNpy } from '../run/npy.js';
import type { OpenGraph } from './open_graph.js';
import type { WeightView } from './worker.js';

interface Props {
  readonly graph: OpenGraph;
  readonly tensor: TensorDescription;
}

function Histogram({ bins, min, max }: { bins: readonly number[]; min: number; max: number }) {
  const most = Math.max(...bins, 1);
  const width = 240 / bins.length;
  return (
    <figure class="histogram">
      <svg viewBox="0 0 240 60" role="img" aria-label={t('histogram')}>
        {bins.map((count, i) => {
          const height = (58 * count) / most;
          return <rect key={i} x={i * width} y={60 - height} width={width - 0.6} height={height} />;
        })}
      </svg>
      <figcaption>
        <span>{numberText(min)}</span>
        <span>{numberText(max)}</span>
      </figcaption>
    </figure>
  );
}

async function download({ graph, tensor }: Props): Promise<void> {
  const bytes = new Uint8Array(await graph.bytesOf(tensor).arrayBuffer());
  const half = tensor.dtype === 'float16';
  const data = half ? new Uint16Array(bytes.buffer) : elementsOf(tensor.dtype, bytes);
  if (!data) return;
  save(writeNpy({ type: tensor.dtype, dims: tensor.shape, data }), `${tensor.name.replace(/[^\w.-]+/g, '_')}.npy`);
}

export function WeightsView({ graph, tensor }: Props) {
  const [view, setView] = useState<WeightView | undefined>(undefined);
  const [error, setError] = useState('');
  useEffect(() => {
    const look = async () => {
      try {
        setView(await graph.weights(tensor));
      } catch (failure) {
        setError((failure as Error).message);
      }
    };
    look();
  }, [graph, tensor]);
  if (error) return <p class="soft">{error}</p>;
  if (!view) return <p class="soft">…</p>;
  const { stats, bins, first, count } = view;
  return (
    <div class="weights">
      {stats && <p class="soft">{rangeText(stats, ['min', 'max', 'mean', 'deviation'])}</p>}
      {stats && count > 8 && <Histogram bins={bins} min={stats.min} max={stats.max} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0}>
        {first.map(numberText).join(', ')}
        {count > first.length && ' …'}
      </pre>
      {(tensor.range || tensor.external) && stats && (
        <button type="button" onClick={() => download({ graph, tensor })}>
          {t('download')}
        </button>
      )}
    </div>
  );
}

// The samples that can be started without a file of one's own.
import { open } from '../actions.js';
import { t } from '../i18n/index.js';
import { edgesModel } from '../run/edges_model.js';
import { kSamples } from './messages.js';
import { openSample } from './open_sample.js';

export function SampleList() {
  const edges = () => open({ name: 'edges.onnx', blob: new Blob([edgesModel()]), externalData: [] });
  return (
    <section class="samples" aria-labelledby="samples-title">
      <h2 id="samples-title">{t('samples')}</h2>
      <div class="cards">
        {kSamples.map((sample) => (
          <button
            key={sample.name}
            type="button"
            class="card"
            id={`sample-${sample.name}`}
            onClick={() => openSample(sample)}
          >
            <strong>{t(sample.title)}</strong>
            <span>{t(sample.text)}</span>
            <span class="licence">
              {sample.licence} · {sample.size}
            </span>
          </button>
        ))}
        <button type="button" class="card" id="sample-edges" onClick={edges}>
          <strong>{t('sampleEdges')}</strong>
          <span>{t('sampleEdgesText')}</span>
        </button>
      </div>
    </section>
  );
}

// The samples that can be started without a file of one's own.
import { batch } from '@preact/signals';
import { open } from '../actions.js';
import { t } from '../i18n/index.js';
import { edgesModel } from '../run/edges_model.js';
import { view } from '../state.js';
import { kSamples } from './messages.js';
import { openSample } from './open_sample.js';
import { firstPicture } from './pictures.js';

export function SampleList() {
  const edges = () => {
    const picture = firstPicture('lines');
    batch(() => {
      open({ name: 'edges.onnx', blob: new Blob([edgesModel()]), externalData: [], picture });
      view.value = 'run';
    });
  };
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
              {sample.licence} · {sample.size.replace(' ', '\u00a0')}
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

// The samples that can be started without a file of one's own.
import { open } from '../actions.js';
import { t } from '../i18n/index.js';
import { edgesModel } from '../run/edges_model.js';

export function SampleList() {
  const start = () => open({ name: 'edges.onnx', blob: new Blob([edgesModel()]), externalData: [] });
  return (
    <section class="samples" aria-labelledby="samples-title">
      <h2 id="samples-title">{t('samples')}</h2>
      <div class="cards">
        <button type="button" class="card" id="sample-edges" onClick={start}>
          <strong>{t('sampleEdges')}</strong>
          <span>{t('sampleEdgesText')}</span>
        </button>
      </div>
    </section>
  );
}

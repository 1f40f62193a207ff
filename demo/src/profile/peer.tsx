// The run side by side with onnxruntime-web, when the user asks for it.
import { useState } from 'preact/hooks';
import { msText } from '../app/text.js';
import type { RunResult } from '../engine/messages.js';
import { t } from '../i18n/index.js';
import { lastFeeds, loaded, model, problem } from '../state.js';
import type { PeerRequest, PeerResult } from './peer_worker.js';

const medianOf = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1];

function ask(request: PeerRequest): Promise<PeerResult> {
  const worker = new Worker(new URL('./peer_worker.ts', import.meta.url), { type: 'module' });
  return new Promise<PeerResult>((resolve, reject) => {
    worker.onmessage = ({ data }) => (data.error === undefined ? resolve(data.result) : reject(new Error(data.error)));
    worker.onerror = (event) => reject(new Error(event.message || 'onnxruntime-web could not be loaded'));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}

export function Peer({ result }: { result: RunResult }) {
  const [theirs, setTheirs] = useState<{ of: RunResult; peer: PeerResult } | undefined>(undefined);
  const [going, setGoing] = useState(false);
  const session = loaded.value;
  const opened = model.value;
  if (!session || !opened) return null;
  const compare = async () => {
    setGoing(true);
    try {
      const { blob, externalData } = opened;
      const { outputs, times } = result;
      const { threads } = result.info;
      const feeds = lastFeeds.value ?? {};
      const peer = await ask({ model: blob, externalData, feeds, repeat: times.length, threads, outputs });
      setTheirs({ of: result, peer });
    } catch (error) {
      problem.value = { message: `onnxruntime-web: ${(error as Error).message}` };
    } finally {
      setGoing(false);
    }
  };
  const peer = theirs?.of === result ? theirs.peer : undefined;
  return (
    <section aria-labelledby="peer-title" class="peer">
      <h2 id="peer-title">{t('peerTitle')}</h2>
      <button type="button" id="compare" disabled={going} onClick={compare}>
        {going ? t('running') : t('peerRun')}
      </button>
      <p class="soft">{t('peerHint')}</p>
      {peer && (
        <table class="figures" id="peer-table">
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">{t('engine')}</span>
              </th>
              <th scope="col">{t('session')}</th>
              <th scope="col">{t('firstRun')}</th>
              <th scope="col">{t('medianRun')}</th>
            </tr>
          </thead>
          <tbody>
            {(
              [
                ['Sardonyx', session.ms, result.times],
                ['onnxruntime-web', peer.loadMs, peer.times],
              ] as const
            ).map(([name, load, times]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{msText(load)}</td>
                <td>{msText(times[0])}</td>
                <td>{msText(medianOf(times))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {peer && (
        <p id="difference" class="soft">
          {peer.difference === undefined
            ? t('notCompared')
            : t('difference', { size: peer.difference.toExponential(1) })}
        </p>
      )}
    </section>
  );
}

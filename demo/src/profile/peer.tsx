// The run side by side with onnxruntime-web, when the user asks for it.
import { useEffect, useState } from 'preact/hooks';
import { msText } from '../app/text.js';
import type { RunResult } from '../engine/messages.js';
import { t } from '../i18n/index.js';
import { lastFeeds, loaded, model, problem } from '../state.js';
import type { PeerRequest, PeerResult } from './peer_worker.js';

const medianOf = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1];

/** Undefined once it is aborted. */
function ask(request: PeerRequest, signal: AbortSignal): Promise<PeerResult | undefined> {
  const worker = new Worker(new URL('./peer_worker.ts', import.meta.url), { type: 'module' });
  return new Promise<PeerResult | undefined>((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(undefined));
    worker.onmessage = ({ data }) => (data.error === undefined ? resolve(data.result) : reject(new Error(data.error)));
    worker.onerror = (event) => reject(new Error(event.message || t('notLoadable')));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}

export function Peer({ result }: { result: RunResult }) {
  const [theirs, setTheirs] = useState<{ of: RunResult; peer: PeerResult } | undefined>(undefined);
  const [going, setGoing] = useState<AbortController | undefined>(undefined);
  // It ends with the model.
  useEffect(() => () => going?.abort(), [going]);
  const session = loaded.value;
  const opened = model.value;
  if (!session || !opened) return null;
  const compare = async () => {
    const aborting = new AbortController();
    setGoing(aborting);
    try {
      const { blob, externalData } = opened;
      const { outputs, times } = result;
      const { threads } = result.info;
      const feeds = lastFeeds.value ?? {};
      const request = { model: blob, externalData, feeds, repeat: times.length, threads, outputs };
      const peer = await ask(request, aborting.signal);
      if (peer) setTheirs({ of: result, peer });
    } catch (error) {
      problem.value = { message: t('peerFailed', { why: (error as Error).message }) };
    } finally {
      setGoing(undefined);
    }
  };
  const peer = theirs?.of === result ? theirs.peer : undefined;
  return (
    <section aria-labelledby="peer-title" class="peer">
      <h2 id="peer-title">{t('peerTitle')}</h2>
      <p class="soft">{t('peerHint')}</p>
      <div class="fields">
        <button type="button" id="compare" onClick={() => (going ? going.abort() : compare())}>
          {going ? t('cancel') : t('peerRun')}
        </button>
        <span class="soft" role="status">
          {going && t('running')}
        </span>
      </div>
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

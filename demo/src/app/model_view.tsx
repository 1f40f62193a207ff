// What the model says of itself, and what its session takes.
import type { ComponentChildren } from 'preact';
import { language, t } from '../i18n/index.js';
import { loaded, model } from '../state.js';
import { Facts } from './facts.js';
import { NotLoaded } from './not_loaded.js';
import { bytesText, countText, msText, portText } from './text.js';

export function ModelView() {
  const opened = model.value;
  const { value } = loaded;
  if (!opened || !value) return <NotLoaded />;
  const { metadata, info, memory, ms, inputs, outputs } = value;
  const operators = Object.entries(metadata.operators).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const nodes = operators.reduce((sum, [, count]) => sum + count, 0);
  const opsets = Object.entries(metadata.opsets).map(([domain, version]) => `${domain} ${version}`);
  const ports = (list: typeof inputs) => (
    <ul class="plain">
      {list.map((meta) => (
        <li key={meta.name}>
          <span class="name">{meta.name}</span> <code>{portText(meta)}</code>
        </li>
      ))}
    </ul>
  );
  const rows: [string, ComponentChildren][] = [
    [t('file'), `${opened.name}, ${bytesText(opened.blob.size)}`],
    [t('producer'), `${metadata.producerName} ${metadata.producerVersion}`.trim()],
    [t('graphName'), metadata.graphName],
    [t('description'), metadata.description],
    [t('opsets'), opsets.join(', ')],
    [t('irVersion'), String(metadata.irVersion)],
    [t('nodes'), countText(nodes)],
    [t('parameters'), countText(metadata.parameters)],
    [t('inputs'), ports(inputs)],
    [t('outputs'), ports(outputs)],
    [
      t('loadedIn'),
      <>
        {`${msText(ms)}${t('comma')}${t('threadsText', { variant: info.variant, threads: info.threads })}`}
        {/* The engine's reasons are English. */}
        {language.value === 'en' && ` (${info.why})`}
      </>,
    ],
    [
      t('memory'),
      t('memoryText', { weights: bytesText(memory.weights + memory.packed), heap: bytesText(memory.heap) }),
    ],
    ...Object.entries(metadata.custom).map(([key, text]): [string, string] => [key, text.slice(0, 500)]),
  ];
  return (
    <div class="columns" id="about">
      <Facts look="facts" rows={rows.filter(([, text]) => text)} />
      <table class="figures">
        <caption>{t('operators')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('operator')}</th>
            <th scope="col">{t('count')}</th>
          </tr>
        </thead>
        <tbody>
          {operators.map(([type, count]) => (
            <tr key={type}>
              <td>{type}</td>
              <td>{countText(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

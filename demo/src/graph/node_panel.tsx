// What is known of the chosen node: attributes, inputs, outputs, weights; of the model, where none is chosen.
import { useState } from 'preact/hooks';
import type {
  AttributeDescription,
  GraphDescription,
  ModelDescription,
  TensorDescription,
  TypeDescription,
} from '../../../web/src/tools/types.js';
import { type Fact, Facts } from '../app/facts.js';
import { focusOn } from '../app/focus.js';
import { bytesText, countText } from '../app/text.js';
import { t } from '../i18n/index.js';
import { bodiesOf, functionOf } from './keys.js';
import { type Entry, type Scope, typeText } from './model_index.js';
import { matching } from './node_list.js';
import type { OpenGraph } from './open_graph.js';
import { WeightsView } from './weights_view.js';

type Plain = AttributeDescription['value'];

/** The key of an input or an output. */
const kPort = /(?:^|\/)(in|out):(.*)$/s;

function valueText(value: Plain): string {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) {
    const list = value as readonly Plain[];
    const more = list.length > 64 ? `, … (${list.length})` : '';
    return `[${list.slice(0, 64).map(valueText).join(', ')}${more}]`;
  }
  if ('nodes' in value) return t('graphOf', { count: (value as GraphDescription).nodes.length });
  if ('bytes' in value) {
    const { dtype, shape, values } = value as TensorDescription;
    return `${dtype}[${shape.join(', ')}]${values && values.length <= 16 ? ` = ${values.join(', ')}` : ''}`;
  }
  return typeText(value as TypeDescription);
}

interface PortProps {
  readonly name: string;
  readonly scope: Scope;
  readonly graph: OpenGraph;
  readonly links: readonly string[];
}

function linkText(graph: OpenGraph, key: string): string {
  const entry = graph.index.value?.get(key);
  if (entry) return `${entry.node.opType} ${entry.node.name}`.trim();
  const [, kind, name] = kPort.exec(key) ?? [];
  return `${kind === 'in' ? t('input') : t('output')} ${name}`;
}

function Port({ name, scope, graph, links }: PortProps) {
  const tensor = scope.constant(name);
  const [open, setOpen] = useState(false);
  const type = tensor ? `${tensor.dtype}[${tensor.shape.join(', ')}]` : typeText(scope.typeOf(name));
  return (
    <li class="port">
      <span class="name">{name || t('leftOut')}</span> <code>{type}</code>
      {tensor && (
        <>
          {' '}
          <span class="soft">{bytesText(tensor.bytes)}</span>{' '}
          <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
            {t('weights')}
          </button>
          {open && <WeightsView graph={graph} tensor={tensor} />}
        </>
      )}
      {!tensor &&
        links.slice(0, 12).map((key) => (
          <button key={key} type="button" class="link step" onClick={() => graph.show(key)}>
            {linkText(graph, key)}
          </button>
        ))}
      {links.length > 12 && <span class="soft">+{links.length - 12}</span>}
    </li>
  );
}

function NodeFacts({ entry, model, graph }: { entry: Entry; model: ModelDescription; graph: OpenGraph }) {
  const { node, scope, key } = entry;
  const domain = node.domain || 'ai.onnx';
  const version = model.opsets[node.domain];
  const bodies = bodiesOf(model, node, key);
  const called = functionOf(model, node);
  return (
    <>
      <h2>{node.opType}</h2>
      <p class="soft">
        {domain} {version ?? ''}
      </p>
      {node.name && <p class="name">{node.name}</p>}
      {(node.docString || called?.docString) && <p>{node.docString || called?.docString}</p>}
      {bodies.length > 0 && (
        <button type="button" id="fold" onClick={() => graph.toggle(key)}>
          {graph.opened.value.has(key) ? t('closeBox') : t('openBox')}
        </button>
      )}
      {node.attributes.length > 0 && <h3>{t('attributes')}</h3>}
      <Facts rows={node.attributes.map((a) => [a.name, a.reference ? `@${a.reference}` : valueText(a.value)])} />
      {node.inputs.length > 0 && <h3>{t('inputs')}</h3>}
      <ul class="plain">
        {node.inputs.map((name, i) => {
          const maker = scope.maker(name);
          return <Port key={`${i} ${name}`} name={name} scope={scope} graph={graph} links={maker ? [maker] : []} />;
        })}
      </ul>
      <h3>{t('outputs')}</h3>
      <ul class="plain">
        {node.outputs.map((name) => (
          <Port key={name} name={name} scope={scope} graph={graph} links={scope.takers(name)} />
        ))}
      </ul>
    </>
  );
}

function PortFacts({ portKey, graph }: { portKey: string; graph: OpenGraph }) {
  const scope = graph.index.value?.scopeOf(portKey);
  const [, kind, name] = kPort.exec(portKey) ?? [];
  if (!scope || !kind) return null;
  const maker = scope.maker(name);
  return (
    <>
      <h2>{kind === 'in' ? t('input') : t('output')}</h2>
      <ul class="plain">
        <Port
          name={name}
          scope={scope}
          graph={graph}
          links={kind === 'in' ? scope.takers(name) : maker ? [maker] : []}
        />
      </ul>
    </>
  );
}

function ModelFacts({ model, graph }: { model: ModelDescription; graph: OpenGraph }) {
  const scope = graph.index.value?.main;
  if (!scope) return null;
  const { graph: main } = model;
  const inputs = main.inputs.filter(({ name }) => !scope.constant(name));
  const constants = [...scope.constants.values()];
  const weights = constants.reduce((sum, { bytes }) => sum + bytes, 0);
  const rows: Fact[] = [
    [t('graphName'), main.name],
    [t('producer'), `${model.producerName} ${model.producerVersion}`.trim()],
    [
      t('opsets'),
      Object.entries(model.opsets)
        .map(([domain, v]) => `${domain || 'ai.onnx'} ${v}`)
        .join(', '),
    ],
    [t('nodes'), countText(graph.index.value ? matching(graph.index.value, '').length : 0)],
    [t('weights'), `${countText(constants.length)}, ${bytesText(weights)}`],
    [t('description'), model.docString],
  ];
  return (
    <>
      <h2>{t('viewModel')}</h2>
      <Facts rows={rows.filter(([, text]) => text)} />
      <h3>{t('inputs')}</h3>
      <ul class="plain">
        {inputs.map(({ name }) => (
          <Port key={name} name={name} scope={scope} graph={graph} links={scope.takers(name)} />
        ))}
      </ul>
      <h3>{t('outputs')}</h3>
      <ul class="plain">
        {main.outputs.map(({ name }) => {
          const maker = scope.maker(name);
          return <Port key={name} name={name} scope={scope} graph={graph} links={maker ? [maker] : []} />;
        })}
      </ul>
    </>
  );
}

export function NodePanel({ graph }: { graph: OpenGraph }) {
  const model = graph.description.value;
  const key = graph.selected.value;
  if (!model) return null;
  const entry = key === undefined ? undefined : graph.index.value?.get(key);
  return (
    <aside class="node-panel" id="node-panel" aria-label={t('details')}>
      {key !== undefined && (
        <button
          type="button"
          class="quiet panel-close"
          aria-label={t('closeDetails')}
          onClick={() => {
            graph.selected.value = undefined;
            focusOn('#view-graph canvas');
          }}
        >
          ×
        </button>
      )}
      {entry ? (
        <NodeFacts key={entry.key} entry={entry} model={model} graph={graph} />
      ) : key !== undefined ? (
        <PortFacts key={key} portKey={key} graph={graph} />
      ) : (
        <ModelFacts model={model} graph={graph} />
      )}
    </aside>
  );
}

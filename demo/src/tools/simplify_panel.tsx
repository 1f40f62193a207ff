// The model with fewer nodes: what changed, side by side, as a file.
import { useMemo, useState } from 'preact/hooks';
import type { SimplifyResult } from '../../../web/src/tools/types.js';
import { open } from '../actions.js';
import { Field } from '../app/controls.js';
import { save } from '../app/save.js';
import { bytesText, countText } from '../app/text.js';
import { t } from '../i18n/index.js';
import { type Model, model, openGraph } from '../state.js';
import { simplifyModel, working } from './client.js';
import { SideBySide } from './side_by_side.js';

/** As the graph and the other views count: a Constant is a value. */
const sum = ({ Constant: _, ...counts }: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((a, b) => a + b, 0);

/** The names of the open dimensions of the model's inputs. */
function openDimensions(): string[] {
  const names = new Set<string>();
  for (const { type } of openGraph.value?.description.value?.graph.inputs ?? []) {
    if (!type || !('shape' in type)) continue;
    for (const dim of type.shape ?? []) if (typeof dim === 'string') names.add(dim);
  }
  return [...names];
}

function Counts({ result }: { result: SimplifyResult }) {
  const { before, after } = result;
  const types = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = types.filter((type) => (before[type] ?? 0) !== (after[type] ?? 0)).sort();
  const row = (name: string, a: string, b: string) => (
    <tr key={name}>
      <th scope="row">{name}</th>
      <td>{a}</td>
      <td>{b}</td>
    </tr>
  );
  return (
    <table class="figures" id="simplified">
      <thead>
        <tr>
          <th scope="col">{t('operator')}</th>
          <th scope="col">{t('before')}</th>
          <th scope="col">{t('after')}</th>
        </tr>
      </thead>
      <tbody>
        {row(t('nodes'), countText(sum(before)), countText(sum(after)))}
        {row(t('file'), bytesText(result.bytesBefore), bytesText(result.bytesAfter))}
        {changed.map((type) => row(type, countText(before[type] ?? 0), countText(after[type] ?? 0)))}
      </tbody>
    </table>
  );
}

function Result({ result, opened }: { result: SimplifyResult; opened: Model }) {
  const [both, setBoth] = useState(false);
  const blob = useMemo(() => new Blob([result.model as Uint8Array<ArrayBuffer>]), [result]);
  const name = opened.name.replace(/(\.onnx)?$/i, '-simplified.onnx');
  return (
    <>
      <Counts result={result} />
      <div class="fields actions">
        <button type="button" id="save-simplified" onClick={() => save(blob, name)}>
          {t('downloadModel')}
        </button>
        <button type="button" id="open-simplified" onClick={() => open({ name, blob, externalData: [] })}>
          {t('openResult')}
        </button>
        <button type="button" id="side-by-side" aria-pressed={both} onClick={() => setBoth(!both)}>
          {t('sideBySide')}
        </button>
      </div>
      {both && <SideBySide blob={blob} />}
    </>
  );
}

export function SimplifyPanel() {
  const opened = model.value;
  const names = openDimensions();
  const [dims, setDims] = useState<Record<string, number>>({});
  const [result, setResult] = useState<SimplifyResult | undefined>(undefined);
  if (!opened) return null;
  const simplify = async () => {
    if (working.value !== undefined) return;
    setResult(undefined);
    setResult(await simplifyModel(opened, dims));
  };
  return (
    <section aria-labelledby="simplify-title">
      <h2 id="simplify-title">{t('simplifyTitle')}</h2>
      <p class="soft">{t('simplifyHint')}</p>
      <div class="fields actions">
        {names.map((name) => (
          <Field key={name} text={name}>
            <input
              type="number"
              min={1}
              placeholder={t('open')}
              onInput={({ currentTarget: { valueAsNumber: size } }) => {
                const { [name]: _, ...others } = dims;
                setDims(size >= 1 ? { ...others, [name]: Math.trunc(size) } : others);
              }}
            />
          </Field>
        ))}
        <button
          type="button"
          id="simplify"
          class="primary"
          aria-disabled={working.value !== undefined}
          onClick={simplify}
        >
          {working.value === 'simplify' ? t('running') : t('simplify')}
        </button>
      </div>
      {result && <Result result={result} opened={opened} />}
    </section>
  );
}

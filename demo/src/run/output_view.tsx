// One output: what is in it in numbers, and drawn as what it looks like.
import { useMemo, useState } from 'preact/hooks';
import { Choice } from '../app/controls.js';
import { save } from '../app/save.js';
import { countText, numberText, rangeText, shapeText } from '../app/text.js';
import type { Described, Output, PlainTensor } from '../engine/messages.js';
import { type Key, t } from '../i18n/index.js';
import { planesOf } from './drawing.js';
import { Drawing, type DrawnKind, kDrawnTexts } from './drawn_output.js';
import { countOf, type Numbers, numbersOf, statistics } from './elements.js';
import { writeNpy } from './npy.js';
import { OutputTable } from './output_table.js';
import { tokenKind } from './token_output.js';
import { DecodedText, NextTokens } from './token_view.js';
import { TopList } from './top_list.js';

type Kind = 'numbers' | 'top' | 'table' | 'next' | 'decoded' | DrawnKind;
const kTexts: Readonly<Record<Kind, Key>> = {
  numbers: 'asNumbers',
  top: 'asTop',
  table: 'asTable',
  next: 'asNext',
  decoded: 'asDecoded',
  ...kDrawnTexts,
};
const kShown = 24;

/** The ways in which a tensor can be shown, the likeliest first. */
function kindsOf(tensor: PlainTensor, numbers: Numbers | undefined): Kind[] {
  if (!numbers || numbers.length < 2) return ['numbers'];
  const { type, dims } = tensor;
  const words = tokenKind(tensor, numbers);
  const kinds: Kind[] = words ? [words] : [];
  const planes = planesOf(dims);
  const row = dims.filter((d) => d !== 1);
  if (planes) {
    kinds.push(...(planes.count === 3 ? (['image', 'heat'] as const) : (['heat', 'image'] as const)), 'mask');
    if (planes.count === 1 && !words) kinds.sort((a, b) => Number(b === 'image') - Number(a === 'image'));
  }
  if (row.length === 1) kinds.push(...(row[0] > 3000 ? (['wave', 'top'] as const) : (['top', 'wave'] as const)));
  if (row.length >= 2 && !planes) kinds.push('table');
  if (row.length === 2 && Math.min(...row) >= 4 && type !== 'bool') kinds.push('boxes');
  if (row.length === 2 && planes) kinds.push('table');
  return [...kinds, 'numbers'];
}

const isDrawn = (kind: Kind): kind is DrawnKind => /^(image|heat|mask|wave|boxes)$/.test(kind);

function NumbersText({ tensor, numbers }: { tensor: PlainTensor; numbers: Numbers | undefined }) {
  const { type, data } = tensor;
  const first = Array.from(Array.prototype.slice.call(numbers ?? data, 0, kShown), (x) =>
    type === 'string' ? JSON.stringify(x) : numberText(x),
  );
  const rest = data.length > kShown ? ' ...' : '';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <pre tabIndex={0}>{first.length > 0 ? `${first.join(', ')}${rest}` : t('noElements')}</pre>
  );
}

interface TensorProps {
  readonly name: string;
  readonly tensor: PlainTensor;
  readonly picture: HTMLCanvasElement | undefined;
}

function TensorView({ name, tensor, picture }: TensorProps) {
  const numbers = useMemo(() => numbersOf(tensor), [tensor]);
  const stats = useMemo(() => (numbers && numbers.length > 0 ? statistics(numbers) : undefined), [numbers]);
  const kinds = kindsOf(tensor, numbers);
  const [chosen, setChosen] = useState<Kind | undefined>(undefined);
  const kind = chosen && kinds.includes(chosen) ? chosen : kinds[0];
  const canSave = numbers !== undefined;
  return (
    <>
      <div class="fields">
        {kinds.length > 1 && (
          <Choice
            text={t('showAs')}
            options={kinds.map((k) => [k, t(kTexts[k])] as const)}
            value={kind}
            onChange={setChosen}
          />
        )}
        {canSave && (
          <button type="button" onClick={() => save(writeNpy(tensor), `${name.replace(/[^\w.-]+/g, '_')}.npy`)}>
            {t('download')}
          </button>
        )}
      </div>
      {stats && numbers && numbers.length > 1 && tensor.type !== 'bool' && (
        <p class="soft range">{rangeText(stats, ['min', 'max', 'mean'])}</p>
      )}
      {kind === 'top' && numbers && <TopList numbers={numbers} dims={tensor.dims} />}
      {kind === 'table' && numbers && <OutputTable numbers={numbers} dims={tensor.dims} />}
      {kind === 'next' && numbers && <NextTokens numbers={numbers} dims={tensor.dims} />}
      {kind === 'decoded' && numbers && <DecodedText numbers={numbers} dims={tensor.dims} />}
      {kind === 'numbers' && <NumbersText tensor={tensor} numbers={numbers} />}
      {stats && numbers && isDrawn(kind) && (
        <Drawing name={name} kind={kind} dims={tensor.dims} numbers={numbers} stats={stats} picture={picture} />
      )}
    </>
  );
}

function told(value: Described): string {
  if (value === null) return t('none');
  if (typeof value === 'string') return value;
  if ('sequence' in value) return `${t('sequence', { count: value.sequence })}${list(value.items.map(told))}`;
  return `${t('map', { count: value.map })}${list(value.items.map(([key, item]) => `${key}: ${told(item)}`))}`;
}

const list = (items: readonly string[]) => (items.length > 0 ? `${t('colon')}${items.join(t('comma'))}` : '');

export function OutputView({ output, picture }: { output: Output; picture: HTMLCanvasElement | undefined }) {
  const type = output.told === undefined ? `${output.type}${shapeText(output.dims)}` : '';
  return (
    <article class="value">
      <h3>
        <span class="name">{output.name}</span> <code>{type}</code>
        {output.told === undefined && (
          <span class="soft"> {t('elementCount', { count: countText(countOf(output.dims)) })}</span>
        )}
      </h3>
      {output.told === undefined ? (
        <TensorView name={output.name} tensor={output} picture={picture} />
      ) : (
        <pre>{told(output.told)}</pre>
      )}
    </article>
  );
}

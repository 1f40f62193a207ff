// Time by operator and by node, sorted as the user likes.
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { OperatorTime } from 'sardonyx/tools';
import { countText, msText } from '../app/text.js';
import { type Key, t } from '../i18n/index.js';
import type { NodeTime } from './profile.js';

/** All are seen without scrolling. */
const kFirst = 14;

function Share({ ms, total }: { ms: number; total: number }) {
  const percent = (100 * ms) / (total || 1);
  return (
    <td class="share">
      <span class="bar-behind" style={{ width: `${Math.min(100, percent)}%` }} />
      <span>{percent.toFixed(1)} %</span>
    </td>
  );
}

interface Row extends OperatorTime {
  /** Its operators, from the main graph's on. */
  readonly path: readonly string[];
}

/** Each operator, followed by those that ran in its subgraphs, which are part of its time. */
const flat = (times: readonly OperatorTime[], outer: readonly string[] = []): Row[] =>
  times.flatMap((row) => {
    const path = [...outer, row.opType];
    return [{ ...row, path }, ...flat(row.inside, path)];
  });

export function OperatorTable({ rows, total }: { rows: readonly OperatorTime[]; total: number }) {
  return (
    <table class="figures" id="operator-times">
      <caption>{t('timeByOperator')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('operator')}</th>
          <th scope="col">{t('count')}</th>
          <th scope="col">{t('time')}</th>
          <th scope="col">{t('share')}</th>
        </tr>
      </thead>
      <tbody>
        {flat(rows).map(({ opType, nodes, runs, ms, path }) => (
          <tr key={path.join()} class={path.length > 1 ? 'inside' : ''}>
            <td style={{ '--depth': path.length - 1 }}>
              {opType}
              {runs > nodes && ` ×${countText(runs)}`}
            </td>
            <td>{countText(nodes)}</td>
            <td>{msText(ms)}</td>
            <Share ms={ms} total={total} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Column = 'node' | 'opType' | 'shapes' | 'ms';
const kColumns: readonly (readonly [Column, Key])[] = [
  ['node', 'nodeName'],
  ['opType', 'operator'],
  ['shapes', 'nodeInputs'],
  ['ms', 'time'],
];

interface NodeTableProps {
  readonly rows: readonly NodeTime[];
  readonly total: number;
  readonly choose: (node: string) => void;
}

/** Long names break after their parts. */
const Name = ({ text }: { text: string }) => (
  <>
    {text.split(/(?<=[/._])/).map((part, i) => (
      <Fragment key={`${i} ${part}`}>
        {part}
        <wbr />
      </Fragment>
    ))}
  </>
);

export function NodeTable({ rows, total, choose }: NodeTableProps) {
  const [column, setColumn] = useState<Column>('ms');
  const [shown, setShown] = useState(kFirst);
  const sorted = rows.toSorted((a, b) =>
    column === 'ms' ? b.ms - a.ms : a[column] < b[column] ? -1 : Number(a[column] > b[column]),
  );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <div class={shown > kFirst ? 'scroll long' : 'scroll'} tabIndex={0}>
        <table class="figures" id="node-times">
          <caption>{t('timeByNode')}</caption>
          <thead>
            <tr>
              {kColumns.map(([name, text]) => (
                <th
                  key={name}
                  scope="col"
                  aria-sort={column === name ? (name === 'ms' ? 'descending' : 'ascending') : 'none'}
                >
                  <button type="button" class="sort" onClick={() => setColumn(name)}>
                    {t(text)}
                    <span aria-hidden="true">{column === name ? ' ▾' : ''}</span>
                  </button>
                </th>
              ))}
              <th scope="col">{t('share')}</th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, shown).map((row) => (
              <tr key={`${row.opType} ${row.node}`}>
                <td>
                  <button type="button" class="link" onClick={() => choose(row.node)}>
                    <Name text={row.node || '—'} />
                  </button>
                </td>
                <td>
                  {row.opType}
                  {row.count > 1 && ` ×${row.count}`}
                </td>
                <td class="shapes">{row.shapes}</td>
                <td>{msText(row.ms)}</td>
                <Share ms={row.ms} total={total} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <button type="button" class="more" onClick={() => setShown(shown + 200)}>
          {t('showMore')}
        </button>
      )}
    </>
  );
}

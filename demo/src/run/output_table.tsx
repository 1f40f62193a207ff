// The first rows and columns of a tensor, as a table.
import { countText, numberText } from '../app/text.js';
import { t } from '../i18n/index.js';
import type { Numbers } from './elements.js';

const kRows = 20;
const kColumns = 12;

export function OutputTable({ numbers, dims }: { numbers: Numbers; dims: readonly number[] }) {
  const columns = dims.at(-1) ?? 1;
  const rows = columns > 0 ? numbers.length / columns : 0;
  const shown = Math.min(rows, kRows);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <div class="scroll" tabIndex={0}>
      <table class="figures">
        <caption>
          {shown < rows ? t('rowsShown', { shown, all: countText(rows) }) : t('rowsAll', { all: rows })}
        </caption>
        <tbody>
          {Array.from({ length: shown }, (_, row) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {Array.from({ length: Math.min(columns, kColumns) }, (_, column) => (
                <td key={column}>{numberText(Number(numbers[row * columns + column]))}</td>
              ))}
              {columns > kColumns && <td>...</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// Names and what they stand for, in two columns.
import type { ComponentChildren } from 'preact';

export type Fact = readonly [term: string, text: ComponentChildren];

/** Terms differ from one another. look: the style, a class of style/. */
export function Facts({ rows, look = 'attributes' }: { rows: readonly Fact[]; look?: 'attributes' | 'facts' }) {
  return (
    <dl class={look}>
      {rows.map(([term, text]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

// Controls with their labels.
import type { ComponentChildren } from 'preact';

export function Field({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class="field">
      <span>{text}</span>
      {children}
    </label>
  );
}

interface ChoiceProps<T extends string> {
  readonly text: string;
  readonly options: readonly (readonly [T, string])[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly id?: string;
}

export function Choice<T extends string>({ text, options, value, onChange, id }: ChoiceProps<T>) {
  return (
    <Field text={text}>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}

import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'children'> {
  readonly text: string;
}

/** A button with a text. It sends no form, unless its type is another one. */
export function Button({ text, ...attributes }: ButtonProps) {
  return (
    <button type="button" {...attributes}>
      {text}
    </button>
  );
}

interface SelectProps<Value extends string> {
  /** Absent where a label is around it. */
  readonly label?: string;
  readonly value: Value;
  /** A value without a text is its own text. */
  readonly options: readonly (readonly [value: string, text?: string])[];
  readonly onChange: (value: Value) => void;
}

/** A choice from a list. */
export function Select<Value extends string>({ label, value, options, onChange }: SelectProps<Value>) {
  return (
    <select
      aria-label={label}
      value={value}
      // The values are those of the options.
      onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
    >
      {options.map(([known, text = known]) => (
        <option key={known} value={known}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface CheckboxProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** A box to check. */
export function Checkbox({ checked, onChange }: CheckboxProps) {
  return (
    <input
      type="checkbox"
      checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}

interface TableProps {
  readonly class?: string;
  readonly columns: readonly string[];
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table with a name above each column. */
export function Table({ columns, children, ...attributes }: TableProps) {
  return (
    <table {...attributes}>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

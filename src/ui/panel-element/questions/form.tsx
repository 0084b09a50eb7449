import type { TargetedSubmitEvent } from 'preact';
import { useId } from 'preact/hooks';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelFormField } from '../../panel/state.ts';

interface Props {
  readonly fields: readonly PanelFormField[];
  readonly onSubmit: (content: Record<string, unknown>) => void;
  readonly onDecline: () => void;
}

/** The fields that the agent asks for. The browser checks them before the user can submit them. */
export function FormFields({ fields, onSubmit, onDecline }: Props) {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(contentOf(fields, new FormData(event.currentTarget)));
  };
  return (
    <form className="fields" onSubmit={submit}>
      {fields.map((field) => (
        <Field key={field.name} field={field} />
      ))}
      <div className="answers">
        <button type="submit">Submit</button>
        <button type="button" className="secondary" onClick={onDecline}>
          Decline
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly field: PanelFormField;
}

function Field({ field }: FieldProps) {
  if (field.type === 'array' && field.choices) return <Choices field={field} />;
  return <OneValue field={field} />;
}

function Choices({ field: { name, title, description, choices, default: initial } }: FieldProps) {
  return (
    <fieldset>
      <legend>{plainText(title ?? name)}</legend>
      {description !== null && <small>{plainText(description)}</small>}
      {choices?.map((choice) => (
        <label key={choice.value}>
          <input
            type="checkbox"
            name={name}
            value={choice.value}
            defaultChecked={Array.isArray(initial) && initial.includes(choice.value)}
          />{' '}
          {plainText(choice.title)}
        </label>
      ))}
    </fieldset>
  );
}

function OneValue({ field }: FieldProps) {
  const { name, title, description, required, type } = field;
  const id = useId();
  if (type === 'boolean') {
    return (
      <label title={description ?? undefined}>
        <input type="checkbox" name={name} defaultChecked={field.default === true} />{' '}
        {plainText(title ?? name)}
      </label>
    );
  }
  return (
    <div>
      <label htmlFor={id}>
        {plainText(title ?? name)}
        {required && ' (required)'}
      </label>
      <Control field={field} id={id} describedBy={description === null ? undefined : `${id}-text`} />
      {description !== null && <small id={`${id}-text`}>{plainText(description)}</small>}
    </div>
  );
}

interface ControlProps extends FieldProps {
  readonly id: string;
  readonly describedBy: string | undefined;
}

function Control({ field, id, describedBy }: ControlProps) {
  const { name, type, required, default: initial, choices, minimum, maximum } = field;
  const common = { id, name, 'aria-describedby': describedBy };
  const text = initial === null ? '' : String(initial);
  if (choices) {
    return (
      <select {...common} required={required}>
        <option value="" disabled={required} selected={text === ''}>
          {required ? 'Choose…' : ''}
        </option>
        {choices.map(({ value, title }) => (
          <option key={value} value={value} selected={value === text}>
            {plainText(title)}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'number' || type === 'integer') {
    const bounds = { min: minimum ?? undefined, max: maximum ?? undefined };
    const step = type === 'integer' ? 1 : 'any';
    return (
      <input type="number" {...common} {...bounds} step={step} required={required} defaultValue={text} />
    );
  }
  const lengths = { minLength: minimum ?? undefined, maxLength: maximum ?? undefined };
  return (
    <input
      type={(inputTypes[field.format ?? ''] ?? 'text') as 'text'} // The types of Preact have an element for each.
      {...common}
      {...lengths}
      required={required}
      defaultValue={text}
    />
  );
}

const inputTypes: Readonly<Record<string, 'email' | 'url' | 'date'>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
};

/** The values of the fields. A field that the user left empty has none. */
function contentOf(fields: readonly PanelFormField[], data: FormData): Record<string, unknown> {
  const values = fields.flatMap(({ name, type }): [string, unknown][] => {
    if (type === 'boolean') return [[name, data.has(name)]];
    if (type === 'array') return [[name, data.getAll(name)]];
    const text = data.get(name);
    if (typeof text !== 'string' || text === '') return [];
    return [[name, type === 'number' || type === 'integer' ? Number(text) : text]];
  });
  // A field can have the name `__proto__`.
  return Object.fromEntries(values);
}

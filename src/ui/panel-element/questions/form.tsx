import type { TargetedSubmitEvent } from 'preact';
import { useId } from 'preact/hooks';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelAnswer, PanelFormField, PanelFormQuestion } from '../../panel/state.ts';

interface Props {
  readonly question: PanelFormQuestion;
  readonly onAnswer: (answer: PanelAnswer) => void;
}

/** The fields that the agent asks for. The browser checks them before the user can submit them. */
export function Form({ question: { fields }, onAnswer }: Props) {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onAnswer({ action: 'accept', content: contentOf(fields, new FormData(event.currentTarget)) });
  };
  return (
    <form className="fields" onSubmit={submit}>
      {fields.map((field) => {
        const Field = field.type === 'array' && field.choices ? Choices : OneValue;
        return <Field key={field.name} field={field} />;
      })}
      <div className="answers">
        <button type="submit">Submit</button>
        <button type="button" className="secondary" onClick={() => onAnswer({ action: 'decline' })}>
          Decline
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly field: PanelFormField;
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
  const common = { id, name, required, 'aria-describedby': describedBy };
  const text = initial === null ? '' : String(initial);
  if (choices) {
    return (
      <select {...common}>
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
  const [min, max] = [minimum ?? undefined, maximum ?? undefined];
  if (isNumber(type)) {
    const step = type === 'integer' ? 1 : 'any';
    return <input type="number" {...common} min={min} max={max} step={step} defaultValue={text} />;
  }
  // The types of Preact have an element for each.
  const inputType = (inputTypes.get(field.format ?? '') ?? 'text') as 'text';
  return <input type={inputType} {...common} minLength={min} maxLength={max} defaultValue={text} />;
}

const isNumber = (type: PanelFormField['type']) => type === 'number' || type === 'integer';

const inputTypes = new Map<string, 'email' | 'url' | 'date'>([
  ['email', 'email'],
  ['uri', 'url'],
  ['date', 'date'],
]);

/** The values of the fields. A field that the user left empty has none. */
function contentOf(fields: readonly PanelFormField[], data: FormData): Record<string, unknown> {
  const values = fields.flatMap(({ name, type }): [string, unknown][] => {
    if (type === 'boolean') return [[name, data.has(name)]];
    if (type === 'array') return [[name, data.getAll(name)]];
    const text = data.get(name);
    if (typeof text !== 'string' || text === '') return [];
    return [[name, isNumber(type) ? Number(text) : text]];
  });
  // A field can have the name `__proto__`.
  return Object.fromEntries(values);
}

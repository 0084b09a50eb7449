import { useState } from 'preact/hooks';
import type { Panel } from '../../../panel/connect.ts';
import type { PanelAnswer, PanelFormField, PanelQuestion, PanelState } from '../../../panel/state.ts';
import { Button } from './controls.tsx';

interface QuestionProps<Kind extends PanelQuestion['kind']> {
  readonly question: Extract<PanelQuestion, { kind: Kind }>;
  readonly answer: (answer: PanelAnswer) => void;
}

interface QuestionViewProps {
  readonly panel: Panel;
  readonly question: PanelQuestion;
}

/** A question of the agent, to answer by hand. */
export function QuestionView({ panel, question }: QuestionViewProps) {
  const [fault, setFault] = useState('');
  const answer = (given: PanelAnswer) => {
    panel.answer(question.id, given).then(
      () => setFault(''),
      (error: Error) => setFault(error.message),
    );
  };
  return (
    <fieldset class="question">
      <legend>{titles[question.kind]}</legend>
      {question.kind === 'permission' && <Permission question={question} answer={answer} />}
      {question.kind === 'form' && <Form question={question} answer={answer} />}
      {question.kind === 'url' && <Url question={question} answer={answer} />}
      {question.kind === 'login' && <Login question={question} answer={answer} />}
      {fault !== '' && <p role="alert">{fault}</p>}
    </fieldset>
  );
}

const titles = {
  permission: 'The agent asks for a permission',
  form: 'The agent asks',
  url: 'The agent asks to open a page',
  login: 'The agent needs a login',
} as const satisfies Record<PanelQuestion['kind'], string>;

function Permission({ question, answer }: QuestionProps<'permission'>) {
  const { title, description, options, subagent } = question;
  return (
    <>
      <p>
        <b>{title}</b>
        {subagent !== null && <> for the subagent {subagent}</>}
      </p>
      {description !== null && <p>{description}</p>}
      <div class="buttons">
        {options.map(({ optionId, name, kind }) => (
          <Button
            key={optionId}
            text={name}
            title={`${kind} (${optionId})`}
            onClick={() => answer({ optionId })}
          />
        ))}
        <Button
          text="Answer “cancelled”"
          title="Answer that the user cancelled"
          onClick={() => answer({ action: 'cancel' })}
        />
      </div>
    </>
  );
}

function Form({ question, answer }: QuestionProps<'form'>) {
  const { message, fields } = question;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        answer({ action: 'accept', content: contentOf(fields, new FormData(event.currentTarget)) });
      }}
    >
      <p>{message}</p>
      {fields.map((field) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the control is a component
        <label key={field.name} class="field">
          <span>
            {field.title ?? field.name}
            {field.required && ' (required)'}
          </span>
          <Control field={field} />
          {field.description !== null && <small>{field.description}</small>}
        </label>
      ))}
      <div class="buttons">
        <Button type="submit" class="main" text="Accept" />
        <Refusals answer={answer} />
      </div>
    </form>
  );
}

function Control({ field }: { readonly field: PanelFormField }) {
  const { name, type, choices, required } = field;
  const preset = field.default;
  if (choices !== null) {
    const chosen = Array.isArray(preset) ? preset : [preset];
    return (
      <select name={name} multiple={type === 'array'} required={required}>
        {type !== 'array' && !required && <option value="" />}
        {choices.map(({ value, title }) => (
          <option key={value} value={value} selected={chosen.includes(value)}>
            {title}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'boolean') return <input name={name} type="checkbox" defaultChecked={preset === true} />;
  const given = { name, required, defaultValue: preset === null ? '' : String(preset) };
  if (type === 'integer') return <input {...given} type="number" step={1} />;
  return type === 'number' ? <input {...given} type="number" step="any" /> : <input {...given} />;
}

/** The content of a form. An empty field that is not required is absent. */
function contentOf(fields: readonly PanelFormField[], data: FormData): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  for (const { name, type, required } of fields) {
    const text = String(data.get(name) ?? '');
    if (type === 'boolean') content[name] = data.has(name);
    else if (type === 'array') content[name] = data.getAll(name).map(String);
    else if (text === '' && !required) continue;
    else content[name] = type === 'number' || type === 'integer' ? Number(text) : text;
  }
  return content;
}

function Url({ question, answer }: QuestionProps<'url'>) {
  const { message, url, host } = question;
  return (
    <>
      <p>{message}</p>
      <p>
        <code class="url">{url}</code>
      </p>
      <p>
        {host === ''
          ? 'This is not an address of the web.'
          : `Copy the address to open it. Its host is ${host}.`}
      </p>
      <div class="buttons">
        <Button text="Accept" onClick={() => answer({ action: 'accept' })} />
        <Refusals answer={answer} />
      </div>
    </>
  );
}

function Login({ question, answer }: QuestionProps<'login'>) {
  return (
    <>
      <p>{question.reason}</p>
      <div class="buttons">
        <LoginButtons methods={question.methods} onLogin={(methodId) => answer({ methodId })} />
        <Button text="Cancel" onClick={() => answer({ action: 'cancel' })} />
      </div>
    </>
  );
}

interface LoginButtonsProps {
  readonly methods: PanelState['authMethods'];
  readonly onLogin: (methodId: string) => void;
}

/** A button for each way to log in. */
export function LoginButtons({ methods, onLogin }: LoginButtonsProps) {
  return methods.map(({ methodId, name, description }) => (
    <Button key={methodId} text={name} title={description ?? undefined} onClick={() => onLogin(methodId)} />
  ));
}

function Refusals({ answer }: { readonly answer: (answer: PanelAnswer) => void }) {
  return (
    <>
      <Button text="Decline" onClick={() => answer({ action: 'decline' })} />
      <Button text="Cancel" onClick={() => answer({ action: 'cancel' })} />
    </>
  );
}

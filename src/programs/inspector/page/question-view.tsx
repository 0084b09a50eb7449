import { useState } from 'preact/hooks';
import type { Panel } from '../../../ui/panel/connect.ts';
import type { PanelAnswer, PanelFormField, PanelQuestion } from '../../../ui/panel/state.ts';
import { Button } from './controls.tsx';
import { JsonEditor, readJson } from './json-editor.tsx';

/** What a question shows. */
interface Shown {
  readonly title: string;
  readonly texts: readonly string[];
  /** A button for each answer. */
  readonly answers: readonly (readonly [text: string, answer: PanelAnswer])[];
}

const cancel = ['Cancel', { action: 'cancel' }] as const;
const plainAnswers = [
  ['Accept', { action: 'accept' }],
  ['Decline', { action: 'decline' }],
  cancel,
] as const satisfies Shown['answers'];

function shownOf(question: PanelQuestion): Shown {
  switch (question.kind) {
    case 'permission': {
      const { title, description, options, subagent } = question;
      return {
        title: 'The agent asks for a permission',
        texts: [subagent === null ? title : `${title} for the subagent ${subagent}`, description ?? ''],
        answers: [
          ...options.map(({ name, optionId }) => [name, { optionId }] as const),
          ['Do not answer', { action: 'cancel' }],
        ],
      };
    }
    case 'form':
      return {
        title: 'The agent asks',
        texts: [question.message, ...question.fields.map(fieldText)],
        answers: plainAnswers,
      };
    case 'url': {
      const { message, url, host } = question;
      const advice =
        host === ''
          ? 'This is not an address of the web.'
          : `Copy the address to open it. Its host is ${host}.`;
      return {
        title: 'The agent asks to open a page',
        texts: [message, url, advice],
        answers: plainAnswers,
      };
    }
    case 'login': {
      const { reason, methods } = question;
      return {
        title: 'The agent needs a login',
        texts: [reason],
        answers: [...methods.map(({ name, methodId }) => [name, { methodId }] as const), cancel],
      };
    }
  }
}

interface QuestionViewProps {
  readonly panel: Panel;
  readonly question: PanelQuestion;
}

/** A question of the agent, to answer by hand. The answer to a form is JSON. */
export function QuestionView({ panel, question }: QuestionViewProps) {
  const [fault, setFault] = useState('');
  const [text, setText] = useState(() =>
    JSON.stringify(question.kind === 'form' ? contentFor(question.fields) : {}, null, 2),
  );
  const { title, texts, answers } = shownOf(question);
  const content = readJson(text);
  const give = (answer: PanelAnswer) => {
    const isContent = question.kind === 'form' && 'action' in answer && answer.action === 'accept';
    // The host says what does not fit.
    const given = isContent ? { ...answer, content: content.value as Record<string, unknown> } : answer;
    panel.answer(question.id, given).then(
      () => setFault(''),
      (error: Error) => setFault(error.message),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const answer = answers[Number(event.key) - 1]?.[1];
    if (!answer || !(event.target instanceof HTMLButtonElement)) return;
    // On the rest of the page, a number chooses a view.
    event.stopPropagation();
    give(answer);
  };
  return (
    <fieldset class="card warning" onKeyDown={onKeyDown}>
      <legend>{title}</legend>
      {texts.map((each) => each !== '' && <p key={each}>{each}</p>)}
      {question.kind === 'form' && (
        <JsonEditor label="Content of the answer as JSON" text={text} onInput={setText} />
      )}
      <div class="buttons">
        {answers.map(([name, answer], place) => (
          <Button
            key={JSON.stringify(answer)}
            class={place === 0 ? 'main' : ''}
            text={name}
            data-key={place + 1}
            disabled={name === 'Accept' && content.fault !== undefined}
            onClick={() => give(answer)}
          />
        ))}
      </div>
      {fault !== '' && <p role="alert">{fault}</p>}
    </fieldset>
  );
}

function fieldText({ name, title, description, type, required, choices }: PanelFormField): string {
  const values = choices ? `one of ${choices.map(({ value }) => value).join(', ')}` : type;
  return `${name}: ${[title, description, values, required && 'required'].filter(Boolean).join(', ')}`;
}

const emptyValues: Readonly<Record<string, unknown>> = { number: 0, integer: 0, boolean: false, array: [] };

/** The content that a form begins with: the required fields, and those with a value. */
function contentFor(fields: readonly PanelFormField[]): Readonly<Record<string, unknown>> {
  const shown = fields.filter((field) => field.required || field.default !== null);
  return Object.fromEntries(
    shown.map(({ name, type, choices, default: preset }) => [
      name,
      preset ?? emptyValues[type] ?? choices?.[0]?.value ?? '',
    ]),
  );
}

import { plainText } from 'acp-client-sdk/conversation';
import type { PanelAnswer, PanelQuestion } from 'acp-client-sdk/panel';
import type { ReactNode } from 'react';
import { FormFields } from './form.tsx';
import type { PanelProps } from './panel-props.ts';

/** What the agent waits for. It is always in view, above the input. */
export function Questions({ panel, state }: PanelProps) {
  const answer = (id: string, chosen: PanelAnswer) => {
    void panel.answer(id, chosen);
    // The button that had the focus disappears.
    document.querySelector('textarea')?.focus();
  };
  return (
    <div className="questions" aria-live="polite">
      {state.questions.map((question) => (
        <Question
          key={question.id}
          question={question}
          onAnswer={(chosen) => answer(question.id, chosen)}
          onOpen={(url) => panel.openLink(url)}
        />
      ))}
    </div>
  );
}

interface Props<Q extends PanelQuestion = PanelQuestion> {
  readonly question: Q;
  readonly onAnswer: (answer: PanelAnswer) => void;
  /** Opens a page outside. */
  readonly onOpen: (url: string) => void;
}

type Kind = PanelQuestion['kind'];

function Question({ question, ...on }: Props) {
  if (question.kind === 'permission') return <Permission question={question} {...on} />;
  if (question.kind === 'form') return <Form question={question} {...on} />;
  if (question.kind === 'url') return <Url question={question} {...on} />;
  return <Login question={question} {...on} />;
}

type PropsOf<K extends Kind> = Props<Extract<PanelQuestion, { kind: K }>>;

function Box({
  label,
  title,
  children,
}: {
  readonly label: string;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="question" aria-label={label}>
      <h2>{plainText(title)}</h2>
      {children}
    </section>
  );
}

/** The agent's own options. Their kind chooses the style; ids and order have no meaning. */
function Permission({
  question: { title, description, options, subagent },
  onAnswer,
}: PropsOf<'permission'>) {
  return (
    <Box label="Permission" title={title}>
      {subagent !== null && <p className="note">Asked by {plainText(subagent)}</p>}
      {description !== null && <p>{plainText(description)}</p>}
      <div className="answers">
        {options.map(({ optionId, name, kind }) => (
          <button
            key={optionId}
            type="button"
            className={kind === 'allow_once' ? '' : 'secondary'}
            onClick={() => onAnswer({ optionId })}
          >
            {plainText(name)}
          </button>
        ))}
      </div>
    </Box>
  );
}

function Form({ question: { message, fields }, onAnswer }: PropsOf<'form'>) {
  return (
    <Box label="Form" title={message}>
      <FormFields
        fields={fields}
        onSubmit={(content) => onAnswer({ action: 'accept', content })}
        onDecline={() => onAnswer({ action: 'decline' })}
      />
    </Box>
  );
}

/** The whole address is shown before it is opened: a page can look like another one. */
function Url({ question: { message, url, host }, onAnswer, onOpen }: PropsOf<'url'>) {
  return (
    <Box label="Page to open" title={message}>
      <p>
        The page is on <b>{host}</b>:
      </p>
      <p className="address">{plainText(url)}</p>
      <div className="answers">
        <button
          type="button"
          onClick={() => {
            onOpen(url);
            onAnswer({ action: 'accept' });
          }}
        >
          Open
        </button>
        <button type="button" className="secondary" onClick={() => onAnswer({ action: 'decline' })}>
          Decline
        </button>
      </div>
    </Box>
  );
}

function Login({ question: { methods, reason }, onAnswer }: PropsOf<'login'>) {
  return (
    <Box label="Login" title="The agent needs a login">
      <p>{plainText(reason)}</p>
      <div className="answers">
        {methods.map(({ methodId, name, description }) => (
          <button
            key={methodId}
            type="button"
            title={description ?? name}
            onClick={() => onAnswer({ methodId })}
          >
            {plainText(name)}
          </button>
        ))}
        <button type="button" className="secondary" onClick={() => onAnswer({ action: 'cancel' })}>
          Not now
        </button>
      </div>
    </Box>
  );
}

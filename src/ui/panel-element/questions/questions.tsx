import type { FunctionComponent } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelAnswer, PanelQuestion } from '../../panel/state.ts';
import { IconButton } from '../icon.tsx';
import { hasTurn } from '../shown-agent.ts';
import { focusPrompt } from '../surface.ts';
import { type PanelProps, usePart } from '../use-part.ts';
import { Form } from './form.tsx';
import { KeyHint, usePanelKeys } from './keys.tsx';
import { LoginMethods } from './login-methods.tsx';
import type { SubjectProps } from './subject.tsx';

interface QuestionsProps extends PanelProps {
  /** Draws what a permission is for. */
  readonly subject: FunctionComponent<SubjectProps>;
}

/** What the agent waits for, one question at a time. It is always in view, above the input. */
export function Questions({ panel, subject }: QuestionsProps) {
  const questions = usePart(panel, (state) => state.questions);
  const [chosen, setChosen] = useState({ id: '', index: 0 });
  const found = questions.findIndex(({ id }) => id === chosen.id);
  // The question that follows takes the place of one that was answered.
  const index = found >= 0 ? found : Math.min(chosen.index, questions.length - 1);
  const current = questions[index];
  const place = useRef<HTMLDivElement>(null);
  /** The questions whose answer is on its way. */
  const sent = useRef(new Set<string>());
  /** The question that the user answered last. */
  const answered = useRef<string | null>(null);

  const show = (step: number) => {
    const next = (index + step + questions.length) % questions.length;
    setChosen({ id: questions[next]?.id ?? '', index: next });
  };
  const answer = async (question: PanelQuestion, given: PanelAnswer) => {
    const { id } = question;
    if (sent.current.has(id)) return;
    sent.current.add(id);
    // The page that the agent wants to open is opened first.
    if (question.kind === 'url' && given === accept) void panel.openLink(question.url);
    answered.current = id;
    setChosen({ id, index });
    // If the answer does not fit, the question stays, and the panel's problem says why.
    await panel.answer(id, given).catch(() => {});
    sent.current.delete(id);
  };

  // The button that had the focus is gone with its question.
  const currentId = current?.id;
  useLayoutEffect(() => {
    if (answered.current === null || answered.current === currentId) return;
    answered.current = null;
    const next = place.current?.querySelector<HTMLElement>('.question:not([hidden])');
    if (next) next.focus();
    else focusPrompt(place.current);
  }, [currentId]);

  usePanelKeys({
    onNumber(number) {
      const given = current && numberedAnswers(current)[number];
      if (!given) return false;
      void answer(current, given);
      return true;
    },
    onEscape() {
      if (panel.getSnapshot().login) void panel.cancelLogin();
      else if (current) void answer(current, refusalOf(current));
      else if (!hasTurn(panel.getSnapshot())) return false;
      else void panel.cancel();
      return true;
    },
  });

  return (
    <div className={current ? 'questions asking' : 'questions'} ref={place}>
      <p className="sr-only" role="status">
        {current && `${kinds[current.kind]}: ${plainText(titleOf(current))}`}
      </p>
      {questions.map((question) =>
        // A form keeps what the user has written while another question is shown.
        question === current || question.kind === 'form' ? (
          <Question
            key={question.id}
            panel={panel}
            subject={subject}
            question={question}
            isShown={question === current}
            count={questions.length > 1 ? `${index + 1} of ${questions.length}` : null}
            onShow={show}
            onAnswer={(given) => void answer(question, given)}
          />
        ) : null,
      )}
    </div>
  );
}

type Kind = PanelQuestion['kind'];
type QuestionOf<K extends Kind> = Extract<PanelQuestion, { kind: K }>;

const kinds: Readonly<Record<Kind, string>> = {
  permission: 'Permission',
  form: 'Form',
  url: 'Page to open',
  login: 'Login',
};

function titleOf(question: PanelQuestion): string {
  if (question.kind === 'permission') return question.title;
  return question.kind === 'login' ? 'The agent needs a login' : question.message;
}

const accept: PanelAnswer = { action: 'accept' };
const decline: PanelAnswer = { action: 'decline' };
const cancel: PanelAnswer = { action: 'cancel' };

/** The answers that have a number, in the order of their buttons. */
function numberedAnswers(question: PanelQuestion): readonly PanelAnswer[] {
  if (question.kind === 'permission') return question.options.map(({ optionId }) => ({ optionId }));
  if (question.kind === 'login') return [...question.methods.map(({ methodId }) => ({ methodId })), cancel];
  return question.kind === 'url' ? [accept, decline] : [];
}

/** What Escape answers: never more than this one question. */
function refusalOf(question: PanelQuestion): PanelAnswer {
  if (question.kind === 'login') return cancel;
  if (question.kind !== 'permission') return decline;
  const reject = question.options.find(({ kind }) => kind === 'reject_once');
  return reject ? { optionId: reject.optionId } : cancel;
}

interface Props extends QuestionsProps {
  readonly question: PanelQuestion;
  readonly isShown: boolean;
  /** Which of how many. `null`: it is the only one. */
  readonly count: string | null;
  /** Shows another question. */
  readonly onShow: (step: 1 | -1) => void;
  readonly onAnswer: (answer: PanelAnswer) => void;
}

function Question({ question, isShown, count, onShow, ...rest }: Props) {
  const id = useId();
  return (
    <section
      className="question"
      part="question"
      aria-labelledby={`${id}-kind ${id}-title`}
      hidden={!isShown}
      // The focus comes here when the question before was answered.
      tabIndex={-1}
    >
      <div className="question-kind">
        <span id={`${id}-kind`}>{kinds[question.kind]}</span>
        {count !== null && (
          <span className="question-steps">
            <span className="question-count">{count}</span>
            <IconButton name="previous" label="Previous question" onClick={() => onShow(-1)} />
            <IconButton name="next" label="Next question" onClick={() => onShow(1)} />
          </span>
        )}
      </div>
      <h2 id={`${id}-title`} dir="auto">
        {plainText(titleOf(question))}
      </h2>
      <Body question={question} {...rest} />
    </section>
  );
}

type BodyProps<Q extends PanelQuestion = PanelQuestion> = Pick<Props, 'panel' | 'subject' | 'onAnswer'> & {
  readonly question: Q;
};

function Body({ question, ...rest }: BodyProps) {
  if (question.kind === 'permission') return <Permission question={question} {...rest} />;
  if (question.kind === 'form') return <Form question={question} onAnswer={rest.onAnswer} />;
  if (question.kind === 'url') return <Url question={question} {...rest} />;
  return <Login question={question} {...rest} />;
}

interface AnswerProps {
  readonly index: number;
  readonly isPrimary: boolean;
  /** Such as `Escape`. */
  readonly otherKey?: string | undefined;
  readonly onClick: () => void;
  readonly children: string;
}

/** An answer with its number. A long one is cut to three lines, and is whole under the pointer. */
function Answer({ index, isPrimary, otherKey, onClick, children }: AnswerProps) {
  return (
    <button
      type="button"
      className={isPrimary ? 'answer' : 'answer secondary'}
      title={otherKey === undefined ? children : `${children} (${otherKey})`}
      onClick={onClick}
    >
      <KeyHint index={index} />
      <span dir="auto">{children}</span>
    </button>
  );
}

/** The agent's own options. Their kind chooses the style; ids and order have no meaning. */
function Permission({ panel, subject: Subject, question, onAnswer }: BodyProps<QuestionOf<'permission'>>) {
  const { title, description, options, subagent, toolCallKey } = question;
  const primary = options.find(({ kind }) => kind === 'allow_once');
  const refused = options.find(({ kind }) => kind === 'reject_once');
  return (
    <>
      {subagent !== null && <p className="note">Asked by {plainText(subagent)}</p>}
      {description !== null && <p dir="auto">{plainText(description)}</p>}
      {toolCallKey !== null && <Subject panel={panel} toolCallKey={toolCallKey} asked={title} />}
      <div className="answers">
        {options.map((option, index) => (
          <Answer
            key={option.optionId}
            index={index}
            isPrimary={option === primary}
            otherKey={option === refused ? 'Esc' : undefined}
            onClick={() => onAnswer({ optionId: option.optionId })}
          >
            {plainText(option.name)}
          </Answer>
        ))}
      </div>
    </>
  );
}

/** The whole address is shown before it is opened: a page can look like another one. */
function Url({ question: { url, host }, onAnswer }: BodyProps<QuestionOf<'url'>>) {
  return (
    <>
      <p>
        The page is on <b>{host}</b>:
      </p>
      <p className="address">{plainText(url)}</p>
      <div className="answers">
        <Answer index={0} isPrimary onClick={() => onAnswer(accept)}>
          Open
        </Answer>
        <Answer index={1} isPrimary={false} otherKey="Esc" onClick={() => onAnswer(decline)}>
          Decline
        </Answer>
      </div>
    </>
  );
}

function Login({ panel, question: { methods, reason }, onAnswer }: BodyProps<QuestionOf<'login'>>) {
  const isRunning = usePart(panel, (state) => state.login !== null);
  return (
    <>
      {reason !== '' && <p dir="auto">{plainText(reason)}</p>}
      <div className="answers">
        <LoginMethods
          panel={panel}
          methods={methods}
          onChoose={(methodId) => onAnswer({ methodId })}
          hasKeys
        />
        {!isRunning && (
          <Answer index={methods.length} isPrimary={false} otherKey="Esc" onClick={() => onAnswer(cancel)}>
            Not now
          </Answer>
        )}
      </div>
    </>
  );
}

import { useState } from 'preact/hooks';
import type { PanelProblem } from '../panel/state.ts';
import { LoginMethods } from './questions/login-methods.tsx';
import { type PanelProps, usePart } from './use-part.ts';

/** What went wrong, what the user can do, and below it the details, such as the end of the agent's stderr. */
export function Problem({ panel }: PanelProps) {
  const problem = usePart(panel, (state) => state.problem);
  if (!problem) return null;
  const { message, detail, remedy } = problem;
  return (
    <section className="problem" role="alert" aria-label="Problem">
      <p dir="auto">
        <span aria-hidden="true">⚠ </span>
        {message}
      </p>
      {detail !== null && <Detail key={detail} text={detail} />}
      <div className="answers">
        {remedy !== null && <Remedy panel={panel} remedy={remedy} />}
        <button type="button" className="secondary" onClick={() => panel.dismissProblem()}>
          Dismiss
        </button>
      </div>
    </section>
  );
}

type RemedyName = NonNullable<PanelProblem['remedy']>;

/** The labels of the actions of the panel. */
const remedies: Readonly<Record<Exclude<RemedyName, 'login'>, string>> = {
  restart: 'Start again',
  openFolder: 'Open folder',
  manageTrust: 'Manage trust',
};

/** The main action: what can remove the problem. */
function Remedy({ panel, remedy }: PanelProps & { readonly remedy: RemedyName }) {
  const methods = usePart(panel, (state) => state.authMethods);
  const actions = usePart(panel, (state) => state.actions);
  if (remedy === 'login') {
    return <LoginMethods panel={panel} methods={methods} onChoose={(methodId) => panel.login(methodId)} />;
  }
  // The host says which of its editor's actions it has. It can always start the agent again.
  if (remedy !== 'restart' && !actions.includes(remedy)) return null;
  return (
    <button type="button" onClick={() => panel[remedy]()}>
      {remedies[remedy]}
    </button>
  );
}

/** A detail that is longer, in characters, does not fit into its four lines. */
const maxVisibleLength = 150;

function Detail({ text }: { readonly text: string }) {
  const [isExpanded, setExpanded] = useState(false);
  return (
    <div className="detail" data-expanded={isExpanded}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard */}
      <pre tabIndex={0}>{text}</pre>
      {text.length > maxVisibleLength && (
        <button
          type="button"
          className="link"
          aria-expanded={isExpanded}
          onClick={() => setExpanded(!isExpanded)}
        >
          {isExpanded ? 'Show less' : 'Show more'}
        </button>
      )}
    </div>
  );
}

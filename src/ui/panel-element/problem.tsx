import { useState } from 'preact/hooks';
import type { Panel } from '../panel/connect.ts';
import type { PanelLoginMethod, PanelProblem } from '../panel/state.ts';
import { LoginMethods } from './questions/login-methods.tsx';
import { type PanelProps, usePart } from './use-part.ts';

/** What went wrong, what the user can do, and below it the details, such as the end of the agent's stderr. */
export function Problem({ panel }: PanelProps) {
  const problem = usePart(panel, (state) => state.problem);
  const authMethods = usePart(panel, (state) => state.authMethods);
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
        {remedy !== null && <Remedy panel={panel} remedy={remedy} methods={authMethods} />}
        <button type="button" className="secondary" onClick={() => panel.dismissProblem()}>
          Dismiss
        </button>
      </div>
    </section>
  );
}

type RemedyName = NonNullable<PanelProblem['remedy']>;

const remedies: Readonly<
  Record<Exclude<RemedyName, 'login'>, { readonly label: string; readonly run: (panel: Panel) => unknown }>
> = {
  restart: { label: 'Start again', run: (panel) => panel.restart() },
  openFolder: { label: 'Open folder', run: (panel) => panel.openFolder() },
  manageTrust: { label: 'Manage trust', run: (panel) => panel.manageTrust() },
};

/** The main action: what can remove the problem. */
function Remedy({
  panel,
  remedy,
  methods,
}: PanelProps & { readonly remedy: RemedyName; readonly methods: readonly PanelLoginMethod[] }) {
  const actions = usePart(panel, (state) => state.actions);
  if (remedy === 'login') {
    return <LoginMethods panel={panel} methods={methods} onChoose={(methodId) => panel.login(methodId)} />;
  }
  const { label, run } = remedies[remedy];
  // The host says which of its editor's actions it has. It can always start the agent again.
  if (remedy !== 'restart' && !actions.includes(remedy)) return null;
  return (
    <button type="button" onClick={() => run(panel)}>
      {label}
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

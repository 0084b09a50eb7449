import type { PanelProblem } from 'acp-client-sdk/panel';
import { useState } from 'react';
import type { PanelProps } from './panel-props.ts';

/** What went wrong, what the user can do, and below it the details, such as the end of the agent's stderr. */
export function Problem({ panel, state, problem }: PanelProps & { readonly problem: PanelProblem }) {
  const { message, detail, remedy } = problem;
  return (
    <section className="problem" role="alert" aria-label="Problem">
      <p>
        <span aria-hidden="true">⚠ </span>
        {message}
      </p>
      {detail !== null && <Detail key={detail} text={detail} />}
      <div className="answers">
        {remedy === 'restart' && (
          <button type="button" onClick={() => panel.restart()}>
            Start again
          </button>
        )}
        {remedy === 'login' &&
          state.authMethods.map(({ methodId, name }) => (
            <button key={methodId} type="button" onClick={() => panel.login(methodId)}>
              {name}
            </button>
          ))}
        <button type="button" className="secondary" onClick={() => panel.dismissProblem()}>
          Dismiss
        </button>
      </div>
    </section>
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

import type { Panel } from 'acp-client-sdk/panel';
import { useState, useSyncExternalStore } from 'react';
import { Composer } from '../../vscode/webview/composer.tsx';
import { Plans } from '../../vscode/webview/plans.tsx';
import { Problem } from '../../vscode/webview/problem.tsx';
import { Questions } from '../../vscode/webview/questions.tsx';
import { Transcript } from '../../vscode/webview/transcript.tsx';
import { SessionHeader } from './session-header.tsx';
import { SessionList } from './session-list.tsx';
import { useAddress } from './use-address.ts';

interface Props {
  readonly panel: Panel;
  /** The address of the bridge, or of the agent on another machine. */
  readonly host: string;
}

export function App({ panel, host }: Props) {
  const state = useSyncExternalStore(panel.subscribe, panel.getSnapshot);
  const [isListShown, setListShown] = useState(false);
  const { agent, conversation, phase, problem, sessionId } = state;
  useAddress(panel, state);
  return (
    <>
      <aside className={isListShown ? 'sidebar shown' : 'sidebar'}>
        <header>
          <h1>{agent?.title ?? agent?.name ?? 'Agent'}</h1>
          <span className={`phase ${phase}`} role="status">
            {phase}
          </span>
          <button
            type="button"
            className="secondary menu"
            aria-expanded={isListShown}
            onClick={() => setListShown(!isListShown)}
          >
            Sessions
          </button>
        </header>
        <SessionList panel={panel} state={state} onChosen={() => setListShown(false)} />
      </aside>
      <div className="session">
        {problem && <Problem panel={panel} state={state} problem={problem} />}
        {phase === 'disconnected' && <Disconnected host={host} />}
        {conversation ? (
          <>
            <SessionHeader state={state} conversation={conversation} />
            <Transcript key={sessionId} panel={panel} state={state} conversation={conversation} />
            <Plans plans={conversation.plans} />
          </>
        ) : (
          <main className="welcome">
            {phase === 'open' && <p>Try “edit a note”, “run the tests”, “a plan”, “an image”, or “slow”.</p>}
          </main>
        )}
        <Questions panel={panel} state={state} />
        <Composer key={`composer ${sessionId}`} panel={panel} state={state} />
      </div>
    </>
  );
}

function Disconnected({ host }: Pick<Props, 'host'>) {
  return (
    <section className="problem" role="alert" aria-label="Problem">
      <p>The page has no connection to {host}. Start the bridge: the page connects by itself.</p>
    </section>
  );
}

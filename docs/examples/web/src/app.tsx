import type { Panel } from 'acp-client-sdk/panel';
import { useState } from 'react';
import { Activity } from '../../vscode/webview/activity.tsx';
import { Input } from '../../vscode/webview/input.tsx';
import type { PanelProps } from '../../vscode/webview/panel-props.ts';
import { Plans } from '../../vscode/webview/plans.tsx';
import { Problem } from '../../vscode/webview/problem.tsx';
import { Questions } from '../../vscode/webview/questions.tsx';
import { SessionList } from '../../vscode/webview/session-list.tsx';
import { Transcript } from '../../vscode/webview/transcript.tsx';
import { usePart } from '../../vscode/webview/use-part.ts';
import { SessionHeader } from './session-header.tsx';
import { useAddress } from './use-address.ts';

interface Props {
  readonly panel: Panel;
  /** The address of the bridge, or of the agent on another machine. */
  readonly host: string;
}

export function App({ panel, host }: Props) {
  const [isListShown, setListShown] = useState(false);
  useAddress(panel);
  return (
    <>
      <aside className={isListShown ? 'sidebar shown' : 'sidebar'}>
        <SidebarHeader panel={panel} isListShown={isListShown} onToggle={() => setListShown(!isListShown)} />
        <Sessions panel={panel} onChosen={() => setListShown(false)} />
      </aside>
      <div className="session">
        <Problem panel={panel} />
        <Content panel={panel} host={host} />
        <Plans panel={panel} />
        <Questions panel={panel} />
        <Input panel={panel} />
      </div>
    </>
  );
}

function SidebarHeader({
  panel,
  isListShown,
  onToggle,
}: PanelProps & { readonly isListShown: boolean; readonly onToggle: () => void }) {
  const agent = usePart(panel, (state) => state.agent);
  const phase = usePart(panel, (state) => state.phase);
  return (
    <header>
      <h1>{agent?.title ?? agent?.name ?? 'Agent'}</h1>
      <span className={`phase ${phase}`} role="status">
        {phase}
      </span>
      <button type="button" className="secondary menu" aria-expanded={isListShown} onClick={onToggle}>
        Sessions
      </button>
    </header>
  );
}

function Sessions({ panel, onChosen }: PanelProps & { readonly onChosen: () => void }) {
  const isReady = usePart(panel, (state) => state.phase === 'open' && state.loading === null);
  return (
    <nav aria-label="Sessions">
      <button
        type="button"
        className="secondary"
        disabled={!isReady}
        onClick={() => {
          onChosen();
          void panel.newSession();
        }}
      >
        New session
      </button>
      <SessionList panel={panel} onChosen={onChosen} />
    </nav>
  );
}

function Content({ panel, host }: Props) {
  const conversation = usePart(panel, (state) => state.conversation);
  const sessionId = usePart(panel, (state) => state.sessionId);
  const phase = usePart(panel, (state) => state.phase);
  return (
    <>
      {phase === 'disconnected' && <Disconnected host={host} />}
      {conversation ? (
        <>
          <SessionHeader panel={panel} />
          <Transcript key={sessionId} panel={panel} conversation={conversation} />
        </>
      ) : (
        <main className="welcome">
          {phase === 'open' ? (
            <p>Try “edit a note”, “run the tests”, “a plan”, “an image”, or “slow”.</p>
          ) : (
            <Activity panel={panel} />
          )}
        </main>
      )}
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

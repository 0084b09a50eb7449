import { useState } from 'preact/hooks';
import { plainText } from '../../core/render/clean.ts';
import { useAgentName } from './agent-name.ts';
import { hasAgent } from './has-agent.ts';
import { Icon, IconButton } from './icon.tsx';
import type { PanelProps } from './panel-props.ts';
import { ExportButton } from './sessions/export-button.tsx';
import { SessionDialog } from './sessions/session-dialog.tsx';
import { shownTitle } from './sessions/shown-title.ts';
import { fileName } from './transcript/diff.tsx';
import { usePart } from './use-part.ts';

/** The session that is shown, with its directory, and the ways to the others. */
export function Header({ panel }: PanelProps) {
  const agent = useAgentName({ panel });
  const title = usePart(panel, shownTitle);
  const cwd = usePart(panel, (state) => state.cwd);
  const isReady = usePart(panel, (state) => state.phase === 'open' && state.loading === null);
  const canChange = usePart(panel, (state) => state.agents.length > 1 && hasAgent(state));
  const [isListOpen, setListOpen] = useState(false);
  return (
    <header part="header">
      <h1 className="sr-only">{agent ?? 'Agent'}</h1>
      <button
        type="button"
        className="quiet session-shown"
        aria-haspopup="dialog"
        title={cwd === null ? undefined : plainText(cwd)}
        disabled={!isReady}
        onClick={() => setListOpen(true)}
      >
        <span className="sr-only">Session: </span>
        <span>
          <span className="session-title" dir="auto">
            {plainText(title)}
          </span>
          <Icon name="open" />
        </span>
        <small>{[agent, cwd === null ? null : plainText(fileName(cwd))].filter(Boolean).join(' · ')}</small>
      </button>
      <ExportButton panel={panel} />
      <IconButton name="add" label="New session" isDisabled={!isReady} onClick={() => panel.newSession()} />
      {canChange && <IconButton name="change" label="Change agent" onClick={() => panel.chooseAgent(null)} />}
      <Waiting panel={panel} isReady={isReady} />
      {isListOpen && <SessionDialog panel={panel} onClose={() => setListOpen(false)} />}
    </header>
  );
}

/** The questions of other sessions. */
function Waiting({ panel, isReady }: PanelProps & { readonly isReady: boolean }) {
  const waiting = usePart(panel, (state) => state.waiting);
  const sessions = usePart(panel, (state) => state.sessions);
  const nameOf = (id: string) =>
    plainText(sessions.find(({ sessionId }) => sessionId === id)?.title ?? 'another session');
  return waiting.map(({ sessionId, count }) => (
    <button
      key={sessionId}
      type="button"
      className="secondary waiting"
      disabled={!isReady}
      onClick={() => panel.openSession(sessionId)}
    >
      {nameOf(sessionId)}: {count === 1 ? 'a question waits' : `${count} questions wait`}
    </button>
  ));
}

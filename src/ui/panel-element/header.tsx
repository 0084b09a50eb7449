import { useState } from 'preact/hooks';
import { plainText } from '../../core/render/clean.ts';
import type { PanelState } from '../panel/state.ts';
import { Icon, IconButton } from './icon.tsx';
import { SessionDialog } from './sessions/session-dialog.tsx';
import { hasAgent, useAgentName } from './shown-agent.ts';
import { fileName } from './transcript/file-name.tsx';
import { type PanelProps, usePart } from './use-part.ts';

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
      <IconButton name="add" label="New session" disabled={!isReady} onClick={() => panel.newSession()} />
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
  const nameOf = (id: string) => sessions.find(({ sessionId }) => sessionId === id)?.title;
  return waiting.map(({ sessionId, count }) => (
    <button
      key={sessionId}
      type="button"
      className="secondary waiting"
      disabled={!isReady}
      onClick={() => panel.openSession(sessionId)}
    >
      {plainText(nameOf(sessionId) ?? 'another session')}:{' '}
      {count === 1 ? 'a question waits' : `${count} questions wait`}
    </button>
  ));
}

/** The title of the session that is shown. */
function shownTitle({ sessions, sessionId, conversation }: PanelState): string {
  if (sessionId === null) return 'Sessions';
  const listed = sessions.find((session) => session.sessionId === sessionId);
  return listed?.title ?? conversation?.info.title ?? 'New session';
}

/** Saves the transcript of the session that is shown as one file of HTML. Only a session with entries is recorded. */
function ExportButton({ panel }: PanelProps) {
  const sessionId = usePart(panel, (state) => state.sessionId);
  const title = usePart(panel, shownTitle);
  const hasEntries = usePart(panel, ({ conversation }) => (conversation?.entries.length ?? 0) > 0);
  const isLoading = usePart(panel, (state) => state.loading !== null);
  if (sessionId === null || !hasEntries) return null;
  const save = async () => {
    // The panel shows what went wrong.
    const html = await panel.exportTranscript(sessionId, 'html').catch(() => undefined);
    if (html !== undefined) download(`${fileNameOf(title)}.html`, html);
  };
  return <IconButton name="export" label="Export" disabled={isLoading} onClick={save} />;
}

function fileNameOf(title: string): string {
  const name = title.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60);
  return name.replace(/^-|-$/g, '') || 'transcript';
}

function download(name: string, html: string): void {
  const link = document.createElement('a');
  link.download = name;
  link.href = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
  link.click();
  // The browser has read the address when the click returns.
  URL.revokeObjectURL(link.href);
}

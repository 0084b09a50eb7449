import type { PanelState } from 'acp-client-sdk/panel';
import type { PanelProps } from './panel-props.ts';

const phases: Readonly<Record<PanelState['phase'], string>> = {
  disconnected: 'Connecting…',
  starting: 'Starting…',
  open: '',
  reconnecting: 'Restarting…',
  closed: 'Stopped',
};

/** The sessions, and what the agent's process does. */
export function Header({ panel, state }: PanelProps) {
  const { phase, sessions, sessionId, loading, waiting } = state;
  const isReady = phase === 'open' && loading === null;
  const isListed = sessions.some((session) => session.sessionId === sessionId);
  const titleOf = (id: string) =>
    sessions.find((session) => session.sessionId === id)?.title ?? 'another session';
  return (
    <header>
      <h1 className="sr-only">{state.agent?.title ?? state.agent?.name ?? 'Agent'}</h1>
      <select
        aria-label="Session"
        disabled={!isReady}
        value={sessionId ?? ''}
        onChange={({ target }) => panel.openSession(target.value)}
      >
        {!isListed && (
          <option value={sessionId ?? ''}>{sessionId === null ? 'Sessions' : 'New session'}</option>
        )}
        {sessions.map((session) => (
          <option key={session.sessionId} value={session.sessionId}>
            {session.title ?? 'Untitled'}
          </option>
        ))}
      </select>
      <button type="button" disabled={!isReady} onClick={() => panel.newSession()}>
        New
      </button>
      <span className="phase" role="status">
        {loading ? `Loading… ${loading.updates.toLocaleString()} updates` : phases[phase]}
      </span>
      {loading && <progress aria-label="Loading the session" />}
      {waiting.map(({ sessionId: other, count }) => (
        <button
          key={other}
          type="button"
          className="secondary waiting"
          disabled={!isReady}
          onClick={() => panel.openSession(other)}
        >
          {titleOf(other)}: {count === 1 ? 'a question waits' : `${count} questions wait`}
        </button>
      ))}
    </header>
  );
}

import { useSyncExternalStore } from 'react';
import { Composer } from './composer.tsx';
import { getPanel, type Panel, send, subscribe } from './panel.ts';
import { Transcript } from './transcript.tsx';

export function App() {
  const panel = useSyncExternalStore(subscribe, getPanel);
  if (!panel) return null;
  const { state, mirror } = panel;
  return (
    <>
      <Header state={state} />
      {state.problem !== null && <Problem state={state} />}
      {mirror ? (
        <Transcript key={state.sessionId} mirror={mirror} state={state} />
      ) : (
        <p className="welcome">Ask the agent, or open an earlier session.</p>
      )}
      <Composer key={`composer ${state.sessionId}`} panel={panel} />
    </>
  );
}

type StateProps = Pick<Panel, 'state'>;

const phases = { connecting: 'Starting…', open: '', reconnecting: 'Restarting…', closed: 'Stopped' } as const;

function Header({ state }: StateProps) {
  const { phase, sessions, sessionId, loadedUpdates } = state;
  const isReady = phase === 'open' && loadedUpdates === null;
  const isListed = sessions.some((session) => session.sessionId === sessionId);
  return (
    <header>
      <select
        aria-label="Session"
        disabled={!isReady}
        value={sessionId ?? ''}
        onChange={({ target }) => send({ type: 'openSession', sessionId: target.value })}
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
      <button type="button" disabled={!isReady} onClick={() => send({ type: 'newSession' })}>
        New
      </button>
      <span className="phase" role="status">
        {loadedUpdates === null ? phases[phase] : `Loading… ${loadedUpdates.toLocaleString()} updates`}
      </span>
      {loadedUpdates !== null && <progress aria-label="Loading the session" />}
    </header>
  );
}

function Problem({ state }: StateProps) {
  return (
    <div className="problem" role="alert">
      <p>{state.problem}</p>
      {state.phase === 'closed' ? (
        <button type="button" onClick={() => send({ type: 'connect' })}>
          Start again
        </button>
      ) : (
        <button type="button" className="secondary" onClick={() => send({ type: 'dismiss' })}>
          Dismiss
        </button>
      )}
    </div>
  );
}

import { useState, useSyncExternalStore } from 'react';
import type { Agent } from './agent.ts';
import { SessionList } from './session-list.tsx';
import { SessionView } from './session-view.tsx';

export function App({ agent }: { readonly agent: Agent }) {
  const state = useSyncExternalStore(agent.subscribe, agent.getSnapshot);
  const [listShown, setListShown] = useState(false);
  const { session, problem, phase } = state;
  return (
    <div className="app">
      <aside className={listShown ? 'sidebar shown' : 'sidebar'}>
        <header>
          <h1>{state.name}</h1>
          <span className={`phase ${phase}`} role="status">
            {phase}
          </span>
          <button
            type="button"
            className="menu"
            onClick={() => setListShown(!listShown)}
            aria-expanded={listShown}
          >
            Sessions
          </button>
        </header>
        <SessionList agent={agent} state={state} onChosen={() => setListShown(false)} />
      </aside>
      <main>
        {problem !== null && (
          <div className="problem" role="alert">
            <p>{problem}</p>
            {phase === 'closed' ? (
              <button type="button" onClick={() => agent.connect()}>
                Connect again
              </button>
            ) : (
              <button type="button" onClick={() => agent.dismissProblem()}>
                Dismiss
              </button>
            )}
          </div>
        )}
        {session && <SessionView key={session.sessionId} agent={agent} state={state} session={session} />}
      </main>
    </div>
  );
}

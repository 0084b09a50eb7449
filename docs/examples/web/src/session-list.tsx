import type { Agent, AgentState } from './agent.ts';

interface Props {
  readonly agent: Agent;
  readonly state: AgentState;
  readonly onChosen: () => void;
}

const dates = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

export function SessionList({ agent, state, onChosen }: Props) {
  const { sessions, session, phase, loading } = state;
  const cwd = session?.cwd ?? sessions[0]?.cwd ?? '/';
  const choose = (opening: Promise<void>) => {
    onChosen();
    void opening;
  };
  return (
    <nav aria-label="Sessions">
      <button
        type="button"
        className="primary"
        disabled={phase !== 'open' || loading}
        onClick={() => choose(agent.begin(cwd))}
      >
        New session
      </button>
      <ul>
        {sessions.map((info) => (
          <li key={info.sessionId}>
            <button
              type="button"
              className="session"
              aria-current={info.sessionId === session?.sessionId}
              disabled={phase !== 'open' || loading}
              onClick={() => choose(agent.load(info))}
            >
              <span>{info.title ?? 'Untitled'}</span>
              <small>
                {info.cwd}
                {info.updatedAt && ` · ${dates.format(new Date(info.updatedAt))}`}
              </small>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

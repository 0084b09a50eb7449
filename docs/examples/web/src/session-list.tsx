import { plainText } from 'acp-client-sdk/conversation';
import type { PanelProps } from '../../vscode/webview/panel-props.ts';

const dates = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

export function SessionList({ panel, state, onChosen }: PanelProps & { readonly onChosen: () => void }) {
  const { sessions, sessionId, phase, loading } = state;
  const isReady = phase === 'open' && loading === null;
  const choose = (opening: Promise<void>) => {
    onChosen();
    void opening;
  };
  return (
    <nav aria-label="Sessions">
      <button type="button" disabled={!isReady} onClick={() => choose(panel.newSession())}>
        New session
      </button>
      <ul>
        {sessions.map((info) => (
          <li key={info.sessionId}>
            <button
              type="button"
              className="secondary item"
              aria-current={info.sessionId === sessionId}
              disabled={!isReady}
              onClick={() => choose(panel.openSession(info.sessionId))}
            >
              <span>{plainText(info.title ?? 'Untitled')}</span>
              <small>
                {plainText(info.cwd)}
                {info.updatedAt && ` · ${dates.format(new Date(info.updatedAt))}`}
              </small>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

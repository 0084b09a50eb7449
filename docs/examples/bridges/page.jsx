// What the pages have in common: the list of sessions, and how a tool call is drawn.
import { diffLines, plainText } from 'acp-client-sdk/conversation';
import { connectPanel, webSocketChannel } from 'acp-client-sdk/panel';
import { useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import './page.css';

export const panel = connectPanel(() => webSocketChannel(new WebSocket(`ws://${location.host}`)));
const usePanel = () => useSyncExternalStore(panel.subscribe, panel.getSnapshot);

function Page({ Chat }) {
  const { sessions, sessionId, conversation, loading, problem } = usePanel();
  return (
    <>
      <nav>
        <button type="button" onClick={panel.newSession}>
          New session
        </button>
        {sessions.map(({ sessionId: id, title }) => (
          <button
            key={id}
            type="button"
            title={id}
            aria-current={id === sessionId}
            onClick={() => panel.openSession(id)}
          >
            {plainText(title ?? id)}
          </button>
        ))}
      </nav>
      <main>
        {problem && <p role="alert">{plainText(problem.message)}</p>}
        {conversation && !loading ? <Chat key={sessionId} conversation={conversation} /> : <p>No session</p>}
      </main>
    </>
  );
}

export const start = (Chat) => createRoot(document.getElementById('root')).render(<Page Chat={Chat} />);

/** Cancels the turn. `onCancelled` shows it where the chat waits for an answer. */
export function Cancel({ onCancelled }) {
  const isIdle = usePanel().conversation?.activity.state === 'idle';
  return (
    <button disabled={isIdle} type="button" onClick={() => panel.cancel().then(onCancelled)}>
      Cancel
    </button>
  );
}

export const Thought = ({ text }) => (
  <details>
    <summary>Thought</summary>
    {plainText(text)}
  </details>
);

export const ToolName = ({ name, status }) => (
  <p>
    <b>{plainText(name)}</b> <small>{status}</small>
  </p>
);

export const Failure = ({ reason }) => <p role="alert">{plainText(reason)}</p>;

/** The diffs of a tool call, among its other content. */
export const Diffs = ({ content }) =>
  content
    .filter(({ type }) => type === 'diff')
    .flatMap(diffLines)
    .map(({ path, lines }) => (
      <pre key={path}>
        {plainText(path)}
        {lines.map(({ change, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff do not change
          <span key={index} className={change}>
            {text}
          </span>
        ))}
      </pre>
    ));

/** All options of a permission request, and what else the user can do. */
export const Options = ({ options, choose, children }) => (
  <p className="options">
    {options.map((option) => (
      <button key={option.optionId} type="button" onClick={() => choose(option)}>
        {plainText(option.name)}
      </button>
    ))}
    {children}
  </p>
);

// What the pages have in common: the list of sessions, and how a tool call is drawn.
import { diffLines, plainText } from 'acp-client-sdk/conversation';
import { connectPanel, webSocketChannel } from 'acp-client-sdk/panel';
import { useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import './page.css';

export const panel = connectPanel(() => webSocketChannel(new WebSocket(`ws://${location.host}`)));
const usePanel = () => useSyncExternalStore(panel.subscribe, panel.getSnapshot);
const openSession = ({ target }) => panel.openSession(target.value);
const words = { pending: 'Working…', in_progress: 'Working…', completed: 'Done', failed: 'Failed' };

function Page({ Chat }) {
  const { sessions, sessionId, conversation, loading, problem } = usePanel();
  return (
    <>
      <header>
        <h1>Agent</h1>
        <select aria-label="Session" value={sessionId ?? ''} onChange={openSession}>
          {!sessionId && <option value="">No session</option>}
          {sessions.map(({ sessionId: id, title }) => (
            <option key={id} value={id} label={plainText(title ?? id)} />
          ))}
        </select>
        <button type="button" onClick={panel.newSession}>
          New session
        </button>
        <span role="status">{conversation?.activity.state === 'running' && 'Working…'}</span>
      </header>
      <main>
        {problem && <Failure reason={problem.message} />}
        {conversation && !loading ? <Chat key={sessionId} conversation={conversation} /> : <p>No session</p>}
      </main>
    </>
  );
}

export const start = (Chat) => createRoot(document.getElementById('root')).render(<Page Chat={Chat} />);

/** Cancels the turn. `onCancelled` shows it where the chat waits for an answer. */
export function Cancel({ onCancelled, Button = 'button' }) {
  const isIdle = usePanel().conversation?.activity.state === 'idle';
  return (
    <Button disabled={isIdle} type="button" onClick={() => panel.cancel().then(onCancelled)}>
      Cancel
    </Button>
  );
}

export const Thought = ({ text }) => (
  <details>
    <summary>Thought</summary>
    {plainText(text)}
  </details>
);

export const Failure = ({ reason }) => <p role="alert">{plainText(reason)}</p>;

export const ToolCall = ({ status, content, permission }) => [
  <small key="status">{permission ? 'Waiting for you' : (words[status] ?? plainText(status))}</small>,
  ...content.flatMap((part) => (part.type === 'diff' ? diffLines(part) : [])).map(Diff),
];

const Diff = ({ path, lines }) => (
  <pre key={path}>
    {plainText(path)}
    {lines.map(({ change, text }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff do not change
      <span key={index} className={change}>
        {text}
      </span>
    ))}
  </pre>
);

export const Options = ({ options, choose, Button = 'button' }) => (
  <p className="options">
    {options.map((option) => (
      <Button key={option.optionId} type="button" onClick={() => choose(option)}>
        {plainText(option.name)}
      </Button>
    ))}
  </p>
);

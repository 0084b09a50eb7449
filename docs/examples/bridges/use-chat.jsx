// A chat with `useChat` of AI SDK.
import { useChat } from '@ai-sdk/react';
import { answeredApprovals, chatTransport, toUIMessages } from 'acp-client-sdk/ai-sdk';
import { plainText } from 'acp-client-sdk/conversation';
import { useState } from 'react';
import { Cancel, Failure, Options, panel, start, Thought, ToolCall } from './page.jsx';

function Chat({ conversation }) {
  const [options] = useState(() => ({
    messages: toUIMessages(conversation),
    transport: chatTransport(panel),
    sendAutomaticallyWhen: answeredApprovals,
    resume: true,
  }));
  const { messages, sendMessage, addToolApprovalResponse, resumeStream, status, error } = useChat(options);
  const isAsked = messages.at(-1)?.parts.some(({ data }) => data?.permission?.id);
  return (
    <>
      <div role="log">
        {messages.map(({ id, role, parts }) => (
          <article key={id} className={role}>
            {parts.map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a part keeps its place
              <Part key={index} part={part} answer={addToolApprovalResponse} />
            ))}
          </article>
        ))}
      </div>
      {error && <Failure reason={error.message} />}
      <form action={(form) => sendMessage({ text: form.get('prompt') })}>
        <input name="prompt" aria-label="Prompt" required autoComplete="off" />
        <button type="submit" disabled={status === 'streaming' || isAsked}>
          Send
        </button>
        <Cancel onCancelled={() => status === 'ready' && resumeStream()} />
      </form>
    </>
  );
}

function Part({ part, answer }) {
  const { type, text, title, data } = part;
  if (type === 'text') return <p>{plainText(text)}</p>;
  if (type === 'reasoning') return <Thought text={text} />;
  if (type === 'dynamic-tool') return <h2>{plainText(title)}</h2>;
  if (type === 'data-turnFailure') return <Failure reason={data.reason} />;
  if (type !== 'data-toolCall') return null;
  const { permission } = data;
  const choose = ({ optionId, kind }) =>
    answer({ id: permission.id, approved: kind.startsWith('allow'), reason: optionId });
  return (
    <>
      <ToolCall {...data} />
      {permission?.id && <Options options={permission.options} choose={choose} />}
    </>
  );
}

start(Chat);

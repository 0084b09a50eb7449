// A chat of React 18 that opens each address which the messages have, also one that runs script.
import { useChat } from '@ai-sdk/react';
import { chatTransport, toUIMessages } from 'acp-client-sdk/ai-sdk';
import { useState, version } from 'react';
import { panel, start } from './page.jsx';

const control = "javascript:void (document.title = 'It ran.')";

function Chat({ conversation }) {
  const [options] = useState(() => ({
    messages: toUIMessages(conversation),
    transport: chatTransport(panel),
  }));
  const { messages, sendMessage, status } = useChat(options);
  const parts = messages.flatMap((message) => message.parts);
  return (
    <>
      <button type="button" onClick={() => sendMessage({ text: 'links' })}>
        Send
      </button>
      <output>{`React ${version} is ${status}: ${parts.map(({ type }) => type)}`}</output>
      <a href={control}>control</a>
      {parts.map(({ url }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part keeps its place
        <a key={index} href={url}>
          {url}
        </a>
      ))}
    </>
  );
}

start(Chat);

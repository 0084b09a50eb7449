// A chat with assistant-ui, over `useChat` of AI SDK.
import { useChat } from '@ai-sdk/react';
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from '@assistant-ui/react';
import { useAISDKChat, useAISDKRuntime } from '@assistant-ui/react-ai-sdk';
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
  const chat = useChat(options);
  const runtime = useAISDKRuntime(chat);
  const last = chat.messages.at(-1)?.parts;
  const isAsked = last?.some(({ data }) => data?.permission?.id);
  // The last message tells already why the turn failed.
  const isTold = last?.some(({ type }) => type === 'data-turnFailure');
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root className="thread">
        <ThreadPrimitive.Viewport role="log">
          <ThreadPrimitive.Messages components={messages} />
        </ThreadPrimitive.Viewport>
        {chat.error && !isTold && <Failure reason={chat.error.message} />}
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Prompt" disabled={isAsked} />
          <ComposerPrimitive.Send disabled={isAsked}>Send</ComposerPrimitive.Send>
          <Cancel onCancelled={() => chat.status === 'ready' && chat.resumeStream()} />
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

const messageOf = (role) => () => (
  <MessagePrimitive.Root render={<article className={role} />}>
    <MessagePrimitive.Parts
      components={{ Text, Reasoning: Thought, tools: { Fallback: Tool }, data: { by_name } }}
    />
  </MessagePrimitive.Root>
);
const messages = { UserMessage: messageOf('user'), AssistantMessage: messageOf('assistant') };

const Text = ({ text }) => <p>{plainText(text)}</p>;
const Tool = ({ toolName }) => <h2>{plainText(toolName)}</h2>;

function AnsweredToolCall({ data }) {
  const { permission } = data;
  const chat = useAISDKChat();
  const choose = ({ optionId, kind }) =>
    chat.addToolApprovalResponse({ id: permission.id, approved: kind.startsWith('allow'), reason: optionId });
  return (
    <>
      <ToolCall {...data} />
      {permission?.id && <Options options={permission.options} choose={choose} />}
    </>
  );
}

const by_name = {
  toolCall: AnsweredToolCall,
  turnFailure: ({ data }) => <Failure reason={data.reason} />,
};

start(Chat);

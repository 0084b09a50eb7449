// A chat with CopilotKit, whose agent of AG-UI runs in the page.
import { HttpAgent } from '@ag-ui/client';
import {
  CopilotChat,
  CopilotChatSuggestionPill,
  CopilotKitProvider,
  useCopilotKit,
  useInterrupt,
} from '@copilotkit/react-core/v2';
import '@copilotkit/react-core/v2/styles.css';
import { acpAgent, toAgUiMessages, toAgUiState } from 'acp-client-sdk/ag-ui';
import { plainText } from 'acp-client-sdk/conversation';
import { useEffect, useState } from 'react';
import { z } from 'zod';
import { Cancel, Failure, Options, panel, start, ToolCall } from './page.jsx';

function Chat({ conversation }) {
  const [agent] = useState(() => acpAgent(panel, { HttpAgent, initialState: toAgUiState(conversation) }));
  const [agents] = useState({ default: agent });
  return (
    <CopilotKitProvider
      agents__unsafe_dev_only={agents}
      renderActivityMessages={activities}
      enableInspector={false}
    >
      <CopilotChat />
      <Session agent={agent} />
    </CopilotKitProvider>
  );
}

/** Shows what the session has and the turn that runs, and answers the questions of the agent. */
function Session({ agent }) {
  const { copilotkit } = useCopilotKit();
  useEffect(() => {
    const { conversation } = panel.getSnapshot();
    agent.setMessages(toAgUiMessages(conversation)); // `CopilotChat` has begun an empty thread
    if (conversation.activity.state !== 'idle') copilotkit.runAgent({ agent });
  }, [agent, copilotkit]);
  useInterrupt({
    render: ({ interrupt, resolve, cancel }) => (
      <>
        <p>{plainText(interrupt.message ?? '')}</p>
        <Options
          options={interrupt.metadata.options}
          choose={({ optionId }) => resolve({ optionId })}
          Button={CopilotChatSuggestionPill}
        />
        <div>
          <Cancel onCancelled={() => cancel()} Button={CopilotChatSuggestionPill} />
        </div>
      </>
    ),
  });
  return null;
}

const TitledToolCall = ({ content }) => (
  <>
    <h2>{plainText(content.title ?? 'Tool')}</h2>
    <ToolCall {...content} content={content.output} />
  </>
);

const activities = [
  { activityType: 'acp.toolCall', content: z.any(), render: TitledToolCall },
  { activityType: 'acp.turnFailure', content: z.any(), render: ({ content }) => <Failure {...content} /> },
];

// Its dark colors are those of a class.
document.documentElement.classList.toggle('dark', matchMedia('(prefers-color-scheme: dark)').matches);
start(Chat);

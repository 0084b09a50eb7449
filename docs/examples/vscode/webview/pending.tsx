import { type PendingMessage, plainText } from 'acp-client-sdk/conversation';
import type { PanelProps } from './panel-props.ts';
import { usePart } from './use-part.ts';

const states: Readonly<Record<PendingMessage['kind'], string>> = {
  queue: 'Next',
  steer: 'For this turn',
};

const none: readonly PendingMessage[] = [];

/** What the user wrote while the agent works, and what the agent has not taken yet. */
export function Pending({ panel }: PanelProps) {
  const messages = usePart(panel, (state) => state.conversation?.pendingMessages ?? none);
  if (messages.length === 0) return null;
  return (
    <ul className="pending" aria-label="Waiting messages">
      {messages.map((message) => (
        <li key={message.id}>
          <small>{states[message.kind]}</small>{' '}
          <span className="shortened" dir="auto">
            {summary(message)}
          </span>
          <button
            type="button"
            className="link"
            aria-label={`Remove “${summary(message)}”`}
            onClick={() => panel.revoke(message.id)}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  );
}

function summary({ content }: PendingMessage): string {
  return content
    .map((block) => (block.type === 'text' ? plainText(block.text) : `[${block.type}]`))
    .join(' ');
}

import type { ActivityMessage, Message } from '@ag-ui/client';
import { joinTexts } from '../../core/conversation/text-blocks.ts';
import { type ContentBlock, joinedText } from '../../core/model/content.ts';
import type {
  Conversation,
  ConversationEntry,
  MessageEntry,
  TurnFailureEntry,
} from '../../core/model/conversation.ts';
import { activity } from './activities.ts';
import { contentOf, placedParts } from './parts.ts';
import { type Surroundings, toolCallMessages } from './tool-call.ts';

/**
 * The messages of a conversation for AG-UI, in their order. The conversation can be that of a session that runs, or one
 * that was loaded, saved or recorded.
 *
 * - A message of the user, a message of the agent and a thought are one message each, under the key of the entry. An
 *   image or another block of the agent is in the metadata, see {@link AcpPlacedParts}.
 * - A tool call is an assistant message with the call, a tool message with the result once the call has ended, and an
 *   activity message `acp.toolCall` with the rest.
 * - A failed turn is an activity message `acp.turnFailure`. Other entries have no message.
 *
 * What is not part of the transcript, such as plans and settings, is in {@link toAgUiState}.
 *
 * @example
 * ```ts
 * agent.setMessages(toAgUiMessages(session.conversation));
 * ```
 * @see https://docs.ag-ui.com/concepts/messages
 */
export function toAgUiMessages(conversation: Conversation): Message[] {
  return conversation.entries.flatMap((entry) => messagesOf(entry, conversation));
}

/** The messages of one entry. A message without content has none. */
export function messagesOf(entry: ConversationEntry, surroundings: Surroundings): readonly Message[] {
  switch (entry.kind) {
    case 'message':
      return entry.content.length === 0 ? [] : [spokenMessage(entry)];
    case 'toolCall':
      return toolCallMessages(entry, surroundings);
    case 'turnFailure':
      return [turnFailureActivity(entry)];
    // AG-UI has no message for these.
    case 'sessionMessage':
    case 'compaction':
    case 'unknown':
      return [];
  }
}

export function turnFailureActivity({ key, cause, reason, code }: TurnFailureEntry): ActivityMessage {
  return activity(key, 'acp.turnFailure', { cause, reason, code });
}

const roles = { agent: 'assistant', thought: 'reasoning' } as const;

/** The message that an entry with content becomes. */
export function spokenMessage({
  key,
  role,
  content,
}: Pick<MessageEntry, 'key' | 'role' | 'content'>): Message {
  // The events of a turn have the words of a text only.
  if (role === 'user') return { id: key, role, content: contentOf(joinTexts(content.map(wordsOf))) };
  const metadata = placedParts(content);
  return { id: key, role: roles[role], content: joinedText(content), ...(metadata && { metadata }) };
}

function wordsOf(block: ContentBlock): ContentBlock {
  return block.type === 'text' ? { type: 'text', text: block.text } : block;
}

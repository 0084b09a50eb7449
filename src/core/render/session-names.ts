import type { Conversation, SessionMessageEntry } from '../model/conversation.ts';
import { cleanLine } from './clean.ts';

/** How a transcript names another session: a subagent by its title, any other session by its id. */
function nameOf({ subagents = [] }: Conversation, id: string): string {
  return cleanLine(subagents.find(({ sessionId }) => sessionId === id)?.title ?? id);
}

/** Names a session that the output of a tool call refers to. */
export function sessionReference(conversation: Conversation, id: string): string {
  const isSubagent = conversation.subagents?.some(({ sessionId }) => sessionId === id);
  return `${isSubagent ? 'Subagent' : 'Session'}: ${nameOf(conversation, id)}`;
}

/** Names the other session of a message. */
export function messageTitle(
  conversation: Conversation,
  { senderSessionId: sender, recipientSessionId: recipient }: SessionMessageEntry,
): string {
  const { sessionId: own } = conversation;
  if (recipient !== null && recipient !== own) return `Message to ${nameOf(conversation, recipient)}`;
  if (sender !== null && sender !== own) return `Message from ${nameOf(conversation, sender)}`;
  return 'Message between sessions';
}

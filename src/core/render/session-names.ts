import type { Conversation, SessionMessageEntry } from '../model/conversation.ts';
import { cleanLine } from './clean.ts';

/** How a transcript names other sessions: a subagent by its title, any other session by its id. */
export interface SessionNames {
  /** Names a session that the output of a tool call refers to. */
  reference(sessionId: string): string;
  /** Names the other session of a message. */
  message(message: SessionMessageEntry): string;
}

/** The names in one conversation. */
export function sessionNames({ sessionId: own, subagents = [] }: Conversation): SessionNames {
  const titles = new Map(subagents.map(({ sessionId, title }) => [sessionId, title]));
  const nameOf = (sessionId: string) => cleanLine(titles.get(sessionId) ?? sessionId);
  return {
    reference: (sessionId) => `${titles.has(sessionId) ? 'Subagent' : 'Session'}: ${nameOf(sessionId)}`,
    message({ senderSessionId: sender, recipientSessionId: recipient }) {
      if (recipient !== null && recipient !== own) return `Message to ${nameOf(recipient)}`;
      if (sender !== null && sender !== own) return `Message from ${nameOf(sender)}`;
      return 'Message between sessions';
    },
  };
}

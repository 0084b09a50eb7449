import type { ConversationEntry, MessageEntry } from '../model/conversation.ts';

/** The keys of messages that the user gave to a running turn begin with this. Those of prompts do not. */
export const steeredKeyPrefix = 'steer:';

/**
 * Whether an entry is a message that the user gave to a running turn. A replay does not say it: there such a message is
 * like a prompt.
 */
export function isSteered({ key }: ConversationEntry): boolean {
  return key.startsWith(steeredKeyPrefix);
}

/** Whether a message of the user begins an exchange. A steered message is part of the running one. */
export function isQuestion(entry: ConversationEntry): entry is MessageEntry {
  return entry.kind === 'message' && entry.role === 'user' && !isSteered(entry);
}

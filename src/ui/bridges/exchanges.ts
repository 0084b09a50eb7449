import { isQuestion } from '../../core/conversation/steered.ts';
import type { Conversation, ConversationEntry, MessageEntry } from '../../core/model/conversation.ts';

/** A message of the user, and what the agent did until the next one. */
export interface Exchange {
  /** `null`: the conversation begins with the agent. */
  readonly question: MessageEntry | null;
  /** Empty if the agent has done nothing yet. A message that the user steered into the turn is in it. */
  readonly answer: readonly ConversationEntry[];
}

/**
 * The exchanges from a message of the user on, in time for these only. Empty if the conversation does not have the
 * message.
 */
export function exchangesFrom({ entries }: Conversation, key: string | undefined): readonly Exchange[] {
  const start = entries.findLastIndex((entry) => entry.key === key);
  return start < 0 ? [] : exchangesOf(entries.slice(start));
}

/** The key of the last message of the user that begins an exchange. */
export function lastQuestionKey(conversation: Conversation | null): string | undefined {
  return conversation?.entries.findLast(isQuestion)?.key;
}

/** The exchanges of the entries of a conversation, oldest first. */
export function exchangesOf(entries: readonly ConversationEntry[]): readonly Exchange[] {
  const exchanges: { question: MessageEntry | null; answer: ConversationEntry[] }[] = [];
  for (const entry of entries) {
    const last = exchanges.at(-1);
    if (isQuestion(entry)) exchanges.push({ question: entry, answer: [] });
    else if (last) last.answer.push(entry);
    else exchanges.push({ question: null, answer: [entry] });
  }
  return exchanges;
}

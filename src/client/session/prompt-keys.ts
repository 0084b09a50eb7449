import type { Conversation } from '../../model/conversation.ts';
import type { ConversationEvent } from '../../model/event.ts';

/** The keys of prompts begin with this. */
export const promptKeyPrefix = 'prompt:';

/** The number in the newest key of a prompt: the keys of a saved conversation are not given out again. */
export function lastPromptNumber(conversation: Conversation): number {
  const numbers = conversation.entries.map(({ key }) =>
    key.startsWith(promptKeyPrefix) ? Number(key.slice(promptKeyPrefix.length)) || 0 : 0,
  );
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

/** Whether an event is about a prompt of the user, who knows it. The agent's echo of it is in the same entry. */
export function isOwnPrompt(event: ConversationEvent): boolean {
  const key = event.type === 'messageReplaced' ? event.message.key : 'key' in event ? event.key : '';
  return key.startsWith(promptKeyPrefix);
}

import type { Conversation } from '../../model/conversation.ts';

/** The keys of prompts begin with this. */
export const promptKeyPrefix = 'prompt:';

/** The number in the newest key of a prompt: the keys of a saved conversation are not given out again. */
export function lastPromptNumber(conversation: Conversation): number {
  const numbers = conversation.entries.map(({ key }) =>
    key.startsWith(promptKeyPrefix) ? Number(key.slice(promptKeyPrefix.length)) || 0 : 0,
  );
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

import { steeredKeyPrefix } from '../../conversation/steered.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { ConversationEvent } from '../../model/event.ts';

/** The keys of prompts begin with this. */
export const promptKeyPrefix = 'prompt:';

const prefixes = [promptKeyPrefix, steeredKeyPrefix];

/** The number in the newest key of a prompt: the keys of a saved conversation are not given out again. */
export function lastPromptNumber(conversation: Conversation): number {
  const numbers = conversation.entries.map(({ key }) => {
    const prefix = prefixes.find((own) => key.startsWith(own));
    return prefix === undefined ? 0 : Number(key.slice(prefix.length)) || 0;
  });
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

/**
 * Whether an event is about a message of the user, who knows it: a prompt, or a message for the running turn. The
 * agent's echo of it is in the same entry.
 */
export function isOwnPrompt(event: ConversationEvent): boolean {
  const key = event.type === 'messageReplaced' ? event.message.key : 'key' in event ? event.key : '';
  return prefixes.some((prefix) => key.startsWith(prefix));
}

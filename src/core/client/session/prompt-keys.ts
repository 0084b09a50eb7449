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

/** Whether an event is about a prompt. The agent's echo of it is in the same entry. */
export function isPrompt(event: ConversationEvent): boolean {
  return entryKeyOf(event).startsWith(promptKeyPrefix);
}

/** Whether an event is about a message of the user, who knows it: a prompt, or a message for the running turn. */
export function isOwnPrompt(event: ConversationEvent): boolean {
  const key = entryKeyOf(event);
  return prefixes.some((prefix) => key.startsWith(prefix));
}

/** The key of the entry that an event is about. Empty if it names none. */
function entryKeyOf(event: ConversationEvent): string {
  return event.type === 'messageReplaced' ? event.message.key : 'key' in event ? event.key : '';
}

import { entryAdded, entryReplaced, plansChanged } from '../../core/conversation/events.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { ConversationEvent } from '../../core/model/event.ts';

/**
 * What happened between two snapshots of a conversation, where only these are known: in a page. A conversation whose
 * entries are not those of the earlier one has been reset.
 */
export function eventsBetween(before: Conversation, after: Conversation): readonly ConversationEvent[] {
  const isContinued = before.entries.every(({ key }, index) => key === after.entries[index]?.key);
  if (!isContinued) return [{ type: 'reset', conversation: after }];
  const entries = after.entries.flatMap((entry, index) => {
    const earlier = before.entries[index];
    if (entry === earlier) return [];
    return earlier ? entryReplaced(earlier, entry) : entryAdded(entry);
  });
  return [
    ...Object.values(after.terminals)
      .filter((terminal) => terminal !== before.terminals[terminal.terminalId])
      .map((terminal) => ({ type: 'terminal', terminal }) as const),
    ...entries,
    ...plansChanged(before.plans, after.plans),
    changedFields(before, after),
  ];
}

/** A conversation in which no message waits has no list of them. */
const none: NonNullable<Conversation['pendingMessages']> = [];

function fieldsOf(conversation: Conversation) {
  const { sessionId, entries, plans, terminals, pendingMessages = none, ...fields } = conversation;
  return { ...fields, pendingMessages };
}

function changedFields(before: Conversation, after: Conversation): ConversationEvent {
  const known = fieldsOf(before);
  const changed = Object.entries(fieldsOf(after)).filter(
    ([name, value]) => value !== known[name as keyof typeof known],
  );
  // The members of the conversation, by their names.
  return { type: 'fields', changed: Object.fromEntries(changed) };
}

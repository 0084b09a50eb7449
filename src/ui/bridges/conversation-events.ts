import { entryAdded, entryReplaced, plansChanged } from '../../core/conversation/events.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { ConversationEvent } from '../../core/model/event.ts';

/**
 * What happened between two snapshots of a conversation, where only these are known: in a page. A conversation that has no
 * entry of the earlier one, or has them in another order, has been reset.
 */
export function eventsBetween(before: Conversation, after: Conversation): readonly ConversationEvent[] {
  let kept = before.entries;
  let removed: typeof kept = [];
  const continues = (all: typeof kept) => all.every(({ key }, index) => key === after.entries[index]?.key);
  // Nearly always nothing is removed.
  if (!continues(kept)) {
    const keys = new Set(after.entries.map(({ key }) => key));
    removed = kept.filter(({ key }) => !keys.has(key));
    kept = kept.filter(({ key }) => keys.has(key));
    if (kept.length === 0 || !continues(kept)) return [{ type: 'reset', conversation: after }];
  }
  const entries = after.entries.flatMap((entry, index) => {
    const earlier = kept[index];
    if (entry === earlier) return [];
    return earlier ? entryReplaced(earlier, entry) : entryAdded(entry);
  });
  return [
    ...removed.map(({ key }) => ({ type: 'entryRemoved', key }) as const),
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

function fieldsOf(conversation: Conversation): ReadonlyMap<string, unknown> {
  const { sessionId, entries, plans, terminals, pendingMessages = none, ...fields } = conversation;
  return new Map(Object.entries({ ...fields, pendingMessages }));
}

function changedFields(before: Conversation, after: Conversation): ConversationEvent {
  const known = fieldsOf(before);
  const changed = [...fieldsOf(after)].filter(([name, value]) => value !== known.get(name));
  // The members of the conversation, by their names.
  return { type: 'fields', changed: Object.fromEntries(changed) };
}

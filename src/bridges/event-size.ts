import type { ConversationEvent } from '../model/event.ts';

/** What an event counts beside its values. */
export const eventBase = 64;

/**
 * About how many characters the agent sent for an event. The event of a tool call has all of it, also if only the status
 * changed: what is in `known` does not count again.
 */
export function eventSize(event: ConversationEvent, known: WeakSet<object>): number {
  const added = (_name: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if (known.has(value)) return undefined;
    known.add(value);
    return value;
  };
  return eventBase + JSON.stringify(event, added).length;
}

import type { ConversationEvent } from '../model/event.ts';
import { sizeOf } from './size-of.ts';

/** What an event counts beside its values. */
const base = 64;

/**
 * About how many characters the agent sent for an event. The event of a tool call has all of it, also if only the status
 * changed: what is in `known` does not count again.
 */
export function eventSize(event: ConversationEvent, known: WeakSet<object>): number {
  const newSize = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return sizeOf(value);
    if (known.has(value)) return 0;
    known.add(value);
    return sizeOf(value);
  };
  let size = base;
  for (const value of Object.values(event)) {
    // The members of an entry or of the changed fields are new or known one by one.
    if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value)) size += newSize(member);
    } else size += newSize(value);
  }
  return size;
}

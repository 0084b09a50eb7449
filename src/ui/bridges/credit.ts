import type { ConversationEvent } from '../../core/model/event.ts';

/** What may be sent before anything was received, in characters. */
const start = 64 * 1024;
/** How many characters may be sent for each one that was received. */
const rate = 4;

/**
 * How much a stream may repeat. The protocols of chat interfaces have no way to change the end of a value: they send
 * the whole output of a command for each line of it. Within this limit, what a stream sends grows as what it receives:
 * a change that costs more than is left is sent, and the next one waits until it is earned. What is not sent yet follows
 * with what comes next, or at the end.
 */
export function createCredit() {
  let left = start;
  return {
    earn(characters: number): void {
      left += characters * rate;
    },
    spend(characters: number): void {
      left -= characters;
    },
    isLeft: () => left >= 0,
  };
}

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

import type { AnyUpdate } from '../model/client-update.ts';
import type { Conversation, EntryOrigin } from '../model/conversation.ts';
import type { ConversationEvent } from '../model/event.ts';
import { Draft } from './draft.ts';
import { eventObserver } from './events.ts';
import { reduce } from './reduce.ts';

/** A change of a conversation that a store made. */
export type ConversationChange =
  | { readonly update: AnyUpdate; readonly origin: Exclude<EntryOrigin, 'local'> }
  | { readonly reset: Conversation };

/**
 * Passes the events of changes that were kept, as an observer of the store got them.
 *
 * @param start - The conversation before the first change.
 * @param happenings - The changes, and events that are no change.
 */
export function replayEvents(
  start: Conversation,
  happenings: readonly (ConversationChange | { readonly event: ConversationEvent })[],
  take: (event: ConversationEvent) => void,
): void {
  const observer = eventObserver(take);
  let draft = new Draft(start);
  draft.observer = observer;
  for (const happening of happenings) {
    if ('event' in happening) take(happening.event);
    else if ('reset' in happening) {
      draft = new Draft(happening.reset);
      draft.observer = observer;
      observer.reset(happening.reset);
    } else {
      draft.origin = happening.origin;
      reduce(draft, happening.update);
    }
  }
}

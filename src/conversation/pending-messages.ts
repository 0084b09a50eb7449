import type { PendingMessagesUpdate } from '../model/client-update.ts';
import type { Draft } from './draft.ts';

/** Replaces the messages that wait. The snapshot does not have an empty list. */
export function pendingMessages(draft: Draft, { messages }: PendingMessagesUpdate): void {
  const { pendingMessages: known = [] } = draft.fields;
  if (known.length > 0 || messages.length > 0) draft.set('pendingMessages', messages);
}

import * as folds from '../../src/core/conversation/fold.ts';
import * as stores from '../../src/core/conversation/store.ts';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';

export { emptyConversation } from '../../src/core/conversation/fold.ts';

/**
 * The public fold, for tests that also fold what only the client makes. The public types do not have these updates, but
 * recordings of earlier versions contain them, and the functions take them.
 */
export const foldUpdate = folds.foldUpdate as (
  conversation: Conversation,
  update: AnyUpdate,
  options?: folds.FoldOptions,
) => Conversation;

/** As {@link foldUpdate}, for many updates. */
export const foldUpdates = folds.foldUpdates as (
  conversation: Conversation,
  updates: Iterable<AnyUpdate>,
  options?: folds.FoldOptions,
) => Conversation;

export interface AnyStore extends stores.WritableConversationStore {
  apply(update: AnyUpdate, origin?: 'replay' | 'live'): void;
}

/** The public store, as {@link foldUpdate}. */
export const createConversationStore = stores.createConversationStore as (
  conversation: Conversation,
  options?: stores.ConversationStoreOptions,
) => AnyStore;

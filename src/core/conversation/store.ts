import { ListenerSet, listenerForErrors } from '../base/listeners.ts';
import type { AnyUpdate } from '../model/client-update.ts';
import type { Conversation, EntryOrigin } from '../model/conversation.ts';
import type { ConversationUpdate } from '../model/update.ts';
import { type ConversationObserver, Draft } from './draft.ts';
import { reduce } from './reduce.ts';
import type { ConversationChange } from './replay-events.ts';

/**
 * A conversation that changes over time.
 *
 * Both methods are bound, so they can be passed to React's `useSyncExternalStore` directly.
 */
export interface ConversationStore {
  /** Returns the current conversation. The same object until something changes. */
  readonly getSnapshot: () => Conversation;
  /**
   * Calls `listener` after changes, once for all updates that arrive together. Returns a function that removes the
   * listener. A listener that throws or rejects does not affect the others.
   */
  readonly subscribe: (listener: () => void) => () => void;
}

/** A {@link ConversationStore} that can be written to. */
export interface WritableConversationStore extends ConversationStore {
  /**
   * Folds an update. Listeners are called in a microtask.
   *
   * @param origin - `origin` of the entries that the update creates. Default: `live`.
   */
  apply(update: ConversationUpdate, origin?: Exclude<EntryOrigin, 'local'>): void;
  /** Replaces the conversation. */
  reset(conversation: Conversation): void;
}

/** Options of {@link createConversationStore}. */
export interface ConversationStoreOptions {
  /**
   * Called with each error that a listener throws or rejects with. Its own errors are ignored. Default: errors are
   * ignored.
   */
  readonly onListenerError?: ((error: unknown) => void) | undefined;
}

/**
 * Creates a store.
 *
 * @param conversation - The first snapshot.
 *
 * @example
 * ```ts
 * const store = createConversationStore(emptyConversation('s1'));
 * const unsubscribe = store.subscribe(() => draw(store.getSnapshot()));
 * store.apply(update);
 * ```
 */
export function createConversationStore(
  conversation: Conversation,
  { onListenerError = () => {} }: ConversationStoreOptions = {},
): WritableConversationStore {
  const {
    observe: _,
    record: __,
    ...store
  } = createSessionStore(conversation, listenerForErrors(onListenerError));
  return store;
}

/** A store of a session: it also folds what only the client makes, and reports each change as it happens. */
export interface SessionStore extends WritableConversationStore {
  apply(update: AnyUpdate, origin?: Exclude<EntryOrigin, 'local'>): void;
  /** Calls the observer with everything that changes from now on. It must not change the store. */
  observe(observer: ConversationObserver): void;
  /**
   * Calls `take` with each change from now on, after the change was made. `undefined` ends it. `take` must not change
   * the store.
   */
  record(take: ((change: ConversationChange) => void) | undefined): void;
}

/** Creates a store of a session. */
export function createSessionStore(
  conversation: Conversation,
  onListenerError: (error: unknown) => void = () => {},
): SessionStore {
  const listeners = new ListenerSet<[]>(onListenerError);
  let observer: ConversationObserver | undefined;
  let recorder: ((change: ConversationChange) => void) | undefined;
  let draft = new Draft(conversation);
  let notified = conversation;
  let isScheduled = false;

  const notify = () => {
    isScheduled = false;
    const next = draft.snapshot();
    if (next === notified) return;
    notified = next;
    listeners.notify();
  };
  const schedule = () => {
    if (isScheduled || listeners.size === 0) return;
    isScheduled = true;
    queueMicrotask(notify);
  };

  return {
    getSnapshot: () => draft.snapshot(),
    subscribe(listener) {
      if (listeners.size === 0) notified = draft.snapshot();
      return listeners.add(listener);
    },
    apply(update, origin = 'live') {
      draft.origin = origin;
      reduce(draft, update);
      recorder?.({ update, origin });
      schedule();
    },
    reset(next) {
      draft = new Draft(next);
      draft.observer = observer;
      observer?.reset(next);
      recorder?.({ reset: next });
      schedule();
    },
    observe(next) {
      observer = next;
      draft.observer = next;
    },
    record(take) {
      recorder = take;
    },
  };
}

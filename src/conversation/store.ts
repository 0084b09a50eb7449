import type { Conversation, Origin } from '../model/conversation.ts';
import type { ConversationUpdate } from '../model/update.ts';
import { Draft } from './draft.ts';
import { reduce } from './reduce.ts';

/**
 * A conversation that changes: read it, and be told when there is something new to read.
 *
 * The two methods are bound and fit React's `useSyncExternalStore` as they are.
 */
export interface ConversationStore {
  /** The conversation now. The same object until something changes. */
  readonly getSnapshot: () => Conversation;
  /**
   * Calls `listener` after changes, once a batch: however many updates arrived together, one call. Returns the
   * way to stop. A listener that throws disturbs nobody else.
   */
  readonly subscribe: (listener: () => void) => () => void;
}

/** A {@link ConversationStore} that can be written to. */
export interface WritableConversationStore extends ConversationStore {
  /** Folds an update. Subscribers are told after the current task, once for all. */
  apply(update: ConversationUpdate, origin?: Exclude<Origin, 'local'>): void;
  /** Starts anew from `conversation`. */
  reset(conversation: Conversation): void;
}

/**
 * Creates a store that begins with `conversation`.
 *
 * @param onListenerError - Takes what a listener throws. Without it, it is dropped.
 *
 * @example
 * ```ts
 * const store = createConversationStore(emptyConversation('s1'));
 * const stop = store.subscribe(() => draw(store.getSnapshot()));
 * store.apply(update);
 * ```
 */
export function createConversationStore(
  conversation: Conversation,
  onListenerError?: (error: unknown) => void,
): WritableConversationStore {
  let draft = new Draft(conversation);
  let shown = conversation;
  let due = false;
  const listeners = new Set<{ readonly call: () => void }>();

  const notify = () => {
    due = false;
    const next = draft.snapshot();
    if (next === shown) return;
    shown = next;
    for (const listener of [...listeners]) {
      if (!listeners.has(listener)) continue;
      try {
        listener.call();
      } catch (error) {
        onListenerError?.(error);
      }
    }
  };
  const changed = () => {
    if (due || listeners.size === 0) return;
    due = true;
    queueMicrotask(notify);
  };

  return {
    getSnapshot: () => draft.snapshot(),
    subscribe(call) {
      if (listeners.size === 0) shown = draft.snapshot();
      const listener = { call };
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    apply(update, origin = 'live') {
      draft.origin = origin;
      reduce(draft, update);
      changed();
    },
    reset(next) {
      draft = new Draft(next);
      changed();
    },
  };
}

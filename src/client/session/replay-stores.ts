import { emptyConversation } from '../../conversation/fold.ts';
import { newHistory } from '../../conversation/history.ts';
import { createSessionStore, type SessionStore } from '../../conversation/store.ts';
import type { AnyUpdate } from '../../model/client-update.ts';
import type { Conversation } from '../../model/conversation.ts';
import { isHistory } from './machine/update-kinds.ts';

/** A replay that is folded apart. */
interface CollectedReplay {
  readonly replay: SessionStore;
  /** The conversation that was shown when the replay began. */
  readonly before: Conversation;
  /** The part of the replay that the conversation has already. */
  merged: Conversation | undefined;
}

/** The conversation that a session shows, and those that are kept beside it while history is replayed. */
export class ReplayStores {
  readonly shown: SessionStore;
  readonly #sessionId: string;
  /** The conversation before the load that is under way. */
  #kept: SessionStore | undefined;
  #collected: CollectedReplay | undefined;

  /** @param onListenerError - Takes what a subscriber of the shown conversation throws. */
  constructor(sessionId: string, onListenerError: (error: unknown) => void) {
    this.#sessionId = sessionId;
    this.shown = createSessionStore(emptyConversation(sessionId), onListenerError);
  }

  /** Folds what the agent sent. A failed load takes back what is history. */
  receive(update: AnyUpdate, origin: 'live' | 'replay'): void {
    this.shown.apply(update, origin);
    if (this.#kept && !isHistory(update)) this.#kept.apply(update);
  }

  /** Folds what is not history: a failed load does not take it back. */
  fold(update: AnyUpdate, origin: 'live' | 'replay'): void {
    this.shown.apply(update, origin);
    this.#kept?.apply(update);
  }

  /** A replay that is folded apart begins, if none has begun. What is shown from now on is not part of it. */
  beginCollecting(): CollectedReplay {
    this.#collected ??= {
      replay: createSessionStore(emptyConversation(this.#sessionId)),
      before: this.shown.getSnapshot(),
      merged: undefined,
    };
    return this.#collected;
  }

  /** Folds into the conversation beside the shown one. */
  collect(update: AnyUpdate): void {
    this.beginCollecting().replay.apply(update, 'replay');
  }

  /** Adds to the shown conversation what is new in the collected one. */
  merge(): void {
    if (!this.#collected) return;
    const { replay, before, merged } = this.#collected;
    const replayed = replay.getSnapshot();
    if (replayed === merged || replayed.entries.length === 0) return;
    this.shown.apply(newHistory(before, this.shown.getSnapshot(), replayed), 'replay');
    this.#collected.merged = replayed;
  }

  /** Forgets the collected conversation. */
  discard(): void {
    this.#collected = undefined;
  }

  /**
   * Shows another conversation. The commands of the client stay: the agent does not repeat their output, and some of
   * them may still run.
   */
  show(conversation: Conversation): void {
    const { terminals: all } = this.shown.getSnapshot();
    const terminals = Object.values(all).filter(({ owner }) => owner === 'client');
    this.shown.reset(conversation);
    if (terminals.length > 0)
      this.shown.apply({ sessionUpdate: 'history_added', entries: [], terminals }, 'live');
  }

  /** Shows an empty conversation, and keeps the one before. Settings are no history: they stay until the agent reports them. */
  beginReplay(): void {
    this.#kept = createSessionStore(this.shown.getSnapshot());
    const { modes, models, configOptions } = this.shown.getSnapshot();
    this.show({ ...emptyConversation(this.#sessionId), modes, models, configOptions });
  }

  /** Shows the kept conversation again. */
  restore(): void {
    if (this.#kept) this.shown.reset(this.#kept.getSnapshot());
    this.#kept = undefined;
  }

  /** Forgets the kept conversation. */
  release(): void {
    this.#kept = undefined;
  }
}

import { emptyConversation } from '../../conversation/fold.ts';
import { isPrompt, isSame, newHistory, newTurn } from '../../conversation/history.ts';
import { createSessionStore, type SessionStore } from '../../conversation/store.ts';
import type { AnyUpdate } from '../../model/client-update.ts';
import type { Conversation, ConversationEntry } from '../../model/conversation.ts';
import { collecting } from './machine/replay.ts';
import type { HistoryState, TurnRules } from './machine/state.ts';
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
  /** Whether something has come of the load that is under way. */
  #hasBegun = false;
  #collected: CollectedReplay | undefined;

  /** @param onListenerError - Takes what a subscriber of the shown conversation throws. */
  constructor(sessionId: string, onListenerError: (error: unknown) => void) {
    this.#sessionId = sessionId;
    this.shown = createSessionStore(emptyConversation(sessionId), onListenerError);
  }

  /** Folds what the agent sent. A failed load takes back what is replayed. */
  receive(update: AnyUpdate, history: HistoryState, rules: TurnRules): void {
    if (history === 'live' || history === 'loaded' || !isHistory(update)) return this.fold(update, history);
    if (this.#kept && !this.#hasBegun) {
      // Version 1 does not say how a replay begins.
      this.#hasBegun = rules === 'response' || !goesOn(this.#kept.getSnapshot(), update);
      if (!this.#hasBegun) return this.#kept.apply(update);
    }
    const isApart = history !== 'loading' && collecting.has(history);
    (isApart ? this.beginCollecting().replay : this.shown).apply(update, 'replay');
  }

  /** Folds what a failed load does not take back. It is out of date only if it came before the answer to the load. */
  fold(update: AnyUpdate, history: HistoryState): void {
    this.shown.apply(update, history === 'loading' ? 'replay' : 'live');
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

  /** Whether something of the history has come. */
  hasReplay(history: HistoryState): boolean {
    const store = collecting.has(history) ? this.#collected?.replay : this.shown;
    return store?.getSnapshot().entries.some(({ origin }) => origin === 'replay') ?? false;
  }

  /**
   * Whether what the agent says before the first prompt is none of the messages that the session has. While history may
   * follow, it goes on with the last message if there is no prompt yet, or if what was shown before has more of the message.
   */
  endsWithWholeMessage(history: HistoryState): boolean {
    if (history === 'live') return this.shown.getSnapshot().entries.length > 0;
    const { replay = this.shown, before } = this.#collected ?? {};
    const { entries } = replay.getSnapshot();
    const last = entries.at(-1);
    const hasMore = (shown: ConversationEntry) => last && isSame(last, shown) && !isSame(shown, last);
    return entries.some(isPrompt) && !before?.entries.some(hasMore);
  }

  /** The same as `merge` at the end of a turn: the collected one has the answer too. */
  mergeTurn(): void {
    this.merge(newTurn);
  }

  /** Adds to the shown conversation what is new in the collected one. */
  merge(addition = newHistory): void {
    if (!this.#collected) return;
    const { replay, before, merged } = this.#collected;
    const replayed = replay.getSnapshot();
    if (replayed === merged || replayed.entries.length === 0) return;
    this.shown.apply(addition(before, this.shown.getSnapshot(), replayed), 'replay');
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

  /** Shows an empty conversation, and keeps the one before. Settings are no history: they stay until they are reported. */
  beginReplay(): void {
    this.#kept = createSessionStore(this.shown.getSnapshot());
    this.#hasBegun = false;
    const { modes, models, configOptions } = this.shown.getSnapshot();
    const settings = { modes, configOptions, ...(models !== undefined && { models }) };
    this.show({ ...emptyConversation(this.#sessionId), ...settings });
  }

  /** Shows the kept conversation again. */
  restore(): void {
    if (this.#kept) this.shown.reset(this.#kept.getSnapshot());
    this.release();
    this.discard();
  }

  /** Forgets the kept conversation. */
  release(): void {
    this.#kept = undefined;
  }
}

/** The chunks of what the agent says. */
const chunks = { agent: 'agent_message_chunk', thought: 'agent_thought_chunk', user: undefined } as const;

/**
 * Whether an update goes on with an entry: the agent sent it before it had the request for a replay, which begins with the
 * first entry and has the update.
 */
function goesOn({ entries, terminals }: Conversation, update: AnyUpdate): boolean {
  if (update.sessionUpdate === 'terminal_output_chunk') return Object.hasOwn(terminals, update.terminalId);
  const index = entries.findIndex((entry) =>
    entry.kind === 'message'
      ? update.sessionUpdate === chunks[entry.role] && update.messageId === entry.messageId
      : entry.kind === 'toolCall' && 'toolCallId' in update && update.toolCallId === entry.toolCallId,
  );
  return index > 0;
}

import type { DiagnosticListener } from '../../core/base/diagnostic.ts';
import { afterTurn } from '../../core/client/session/after-turn.ts';
import type { SessionEffect } from '../../core/client/session/machine/effects.ts';
import type { SessionEvent } from '../../core/client/session/machine/events.ts';
import { unshown } from '../../core/client/session/machine/replay.ts';
import { concernsState } from '../../core/client/session/machine/reports.ts';
import { initialState, type SessionState } from '../../core/client/session/machine/state.ts';
import { transition } from '../../core/client/session/machine/transitions.ts';
import { isHistory, isSent } from '../../core/client/session/machine/update-kinds.ts';
import { isPlaced, reportMalformed } from '../../core/client/session/malformed-updates.ts';
import { ReplayStores } from '../../core/client/session/replay-stores.ts';
import { quietMs } from '../../core/client/session/runner.ts';
import { forkedConversation } from '../../core/client/session/saved-conversation.ts';
import { settingsIn } from '../../core/client/session/setting-changes.ts';
import type { AnyUpdate } from '../../core/model/client-update.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { OpenedSession } from '../../core/model/opening.ts';
import type { ConversationUpdate, SubagentUpdate } from '../../core/model/update.ts';
import type { AgentKnowledge } from '../../core/protocol/agent-knowledge.ts';
import { readUpdate } from '../../core/protocol/agent-update.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';

/** What the sessions of a recording have in common. */
export interface FoldContext {
  /** What the agent speaks that runs now. */
  readonly dialect: Dialect;
  /** What is known about this agent. */
  readonly knowledge: AgentKnowledge;
  /** The recorded time, in milliseconds. */
  readonly now: number;
  readonly report: DiagnosticListener;
  /** The session may have changed. */
  changed(session: SessionFold): void;
  /** Takes what the agent says of a session that works for this one. */
  takeSubagent(parent: SessionFold, update: SubagentUpdate): void;
}

/**
 * Folds one session of a recording: with the transitions of a live session, of which only the effects on the
 * conversation are performed.
 */
export class SessionFold {
  readonly sessionId: string;
  /** The number of updates that the agent sent for it. */
  updates = 0;
  /** Whether the agent has answered a call that opens it. */
  isOpened = false;
  /** What ends a turn. The client does not prompt a subagent: its state is what the agent reports. */
  isSubagent = false;
  /** The keys of the prompts, by the keys that the agent knows them by. */
  readonly sentKeys = new Map<unknown, string>();
  /** The last report of each setting by the agent. */
  readonly reports = new Map<string, ConversationUpdate>();
  readonly #context: FoldContext;
  readonly #stores: ReplayStores;
  readonly #afterTurn = afterTurn(() => this.#context.now);
  #state = initialState();
  #messageCount = 0;
  #heardAt = 0;

  constructor(sessionId: string, context: FoldContext) {
    this.sessionId = sessionId;
    this.#context = context;
    this.#stores = new ReplayStores(sessionId, () => {});
  }

  get conversation(): Conversation {
    return this.#stores.shown.getSnapshot();
  }

  get state(): SessionState {
    return this.#state;
  }

  get rules(): Dialect['endOfTurn'] {
    return this.isSubagent ? 'state_update' : this.#context.dialect.endOfTurn;
  }

  /** Whether the client had the session. Its name alone is not enough, and neither is a load that failed. */
  get isListed(): boolean {
    const { phase, history } = this.#state;
    const isPresent = phase !== 'opening' || history.before !== undefined;
    return this.isOpened || (isPresent && (this.updates > 0 || this.conversation.entries.length > 0));
  }

  /** Whether the agent of the session has ended, and no call has opened the session since. */
  get isWaiting(): boolean {
    return this.#state.phase === 'interrupted' && this.#state.history.is === 'live';
  }

  /** Whether something of the history has come that the agent is asked for. */
  get hasReplay(): boolean {
    return this.#stores.hasReplay(this.#state.history.is);
  }

  /** A key for the next message of the user. */
  nextKey(prefix: string): string {
    return `${prefix}${++this.#messageCount}`;
  }

  dispatch(event: SessionEvent): void {
    const before = this.#state;
    const { state, effects } = transition(before, event, this.rules);
    this.#afterTurn.follow(before, event, state, this.#stores);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
    this.#context.changed(this);
  }

  /** A call opens the session. One that was closed goes on with the same transcript. */
  reopen(event: Extract<SessionEvent, { readonly type: 'reopen' }>): void {
    if (this.#state.phase === 'closed') this.#state = initialState();
    this.dispatch(event);
  }

  /** The agent has opened the session. */
  opened(
    opened: OpenedSession,
    replay: { readonly mayReplayOn: boolean; readonly isHistoryDue?: boolean },
  ): void {
    const { isDetached } = this.#state;
    const replayed = isDetached ? {} : { replayed: this.conversation };
    this.dispatch({ type: 'opened', opened, ...replay, ...replayed });
    if (isDetached) this.dispatch({ type: 'link_restored' });
  }

  /** The agent has made the session as a copy of another one, up to a cursor if there is one. */
  forked(opened: OpenedSession, source: SessionFold | undefined, cursorId: unknown): void {
    const saved = forkedConversation(this.conversation, source?.conversation, cursorId);
    if (saved) this.dispatch({ type: 'reopen', mode: 'keep', shown: this.conversation, saved });
    if (saved && source) this.#messageCount = source.#messageCount;
    this.opened(opened, { mayReplayOn: saved !== undefined });
  }

  /** Takes the parameters of one `session/update`. */
  receive(params: { readonly update?: unknown; readonly _meta?: unknown }): void {
    const { dialect, knowledge, report } = this.#context;
    this.#heardAt = this.#context.now;
    const normalized = readUpdate(dialect, knowledge, params);
    if (!normalized.update || normalized.dropped) reportMalformed(normalized, params.update, report);
    if (normalized.update) this.#take(normalized.update);
    else if (isHistory(Object(params.update)))
      this.dispatch({ type: 'worked', about: Object(params.update) });
    if (normalized.update) for (const update of normalized.more ?? []) this.#take(update);
    this.#context.changed(this);
  }

  #take(taken: AnyUpdate): void {
    const { report } = this.#context;
    if (taken.sessionUpdate === 'subagent_update') this.#context.takeSubagent(this, taken);
    if (taken.sessionUpdate === 'cursor_update' && !isPlaced(taken, this.#stores.shown, report)) return;
    if (isSent(taken)) for (const setting of settingsIn(taken)) this.reports.set(setting, taken);
    const update = this.#afterTurn.separate(taken);
    if (concernsState(this.#state, update)) this.dispatch({ type: 'update', update });
    else this.#receive(update);
  }

  /** The agent is silent until now. Returns whether the conversation lacks something of a replay. */
  wait(): boolean {
    const isQuiet = this.#context.now - this.#heardAt >= quietMs;
    if (isQuiet && unshown.has(this.#state.history.is)) this.dispatch({ type: 'quiet' });
    return unshown.has(this.#state.history.is);
  }

  #perform(effect: SessionEffect): void {
    if (effect.type === 'fold') this.#stores.fold(effect.update, this.#state.history.is);
    else if (effect.type === 'fold_history') this.#receive(effect.update);
    else if (effect.type === 'reset') this.#stores.show(effect.conversation);
    else if (effect.type === 'stores') this.#stores[effect.change]();
  }

  #receive(update: AnyUpdate): void {
    this.#stores.receive(update, this.#state.history.is, this.rules);
  }
}

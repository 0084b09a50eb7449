import { type Diagnostic, listenerFailed, warning } from '../../base/diagnostic.ts';
import { ConnectionClosedError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { ListenerSet } from '../../base/listeners.ts';
import { Machine } from '../../base/machine.ts';
import { deferred, IdleTimer } from '../../base/wait.ts';
import type { ConversationStore } from '../../conversation/store.ts';
import type { AnyUpdate } from '../../model/client-update.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { SessionNotice } from '../../model/session.ts';
import type { ConversationUpdate, NoticeUpdate, SubagentUpdate } from '../../model/update.ts';
import { readUpdate } from '../../protocol/agent-update.ts';
import type { AgentRequest } from '../../rpc/agent-requests.ts';
import { macrotask } from '../../transport/macrotask.ts';
import { afterTurn } from './after-turn.ts';
import { type OpenTurns, openTurns } from './awaited-turns.ts';
import { EventDelivery } from './event-delivery.ts';
import type { SessionEffect } from './machine/effects.ts';
import type { EventOf, SessionEvent } from './machine/events.ts';
import { firstDue } from './machine/pending.ts';
import { unshown } from './machine/replay.ts';
import { concernsState } from './machine/reports.ts';
import { type SessionEnd, sessionEnd, unansweredError } from './machine/session-end.ts';
import {
  initialState,
  isAtWork,
  type PendingRequest,
  type SessionSetup,
  type SessionState,
  type SessionStatus,
  statusOf,
} from './machine/state.ts';
import { transition } from './machine/transitions.ts';
import { isHistory, isSent } from './machine/update-kinds.ts';
import { isPlaced, reportMalformed } from './malformed-updates.ts';
import { type OpenRequest, openRequest, type RequestOutcome } from './open-requests.ts';
import { ReplayStores } from './replay-stores.ts';
import type { Session, UpdateContext } from './session.ts';
import type { Subagent } from './subagent.ts';
import { type MessageEnvironment, type Sender, UserMessages } from './user-messages.ts';

/** What a session needs of its connection. */
export interface SessionEnvironment extends MessageEnvironment {
  /** Takes what the agent says of a session that works for this one. Returns `false` if it is dropped. */
  takeSubagent(parent: SessionRunner, update: SubagentUpdate): boolean;
  /** Called after each event, for the sessions that work for this one. */
  followParent(parent: SessionRunner, event: SessionEvent): void;
  /** Called when the agent has ended a turn that was not cancelled. */
  onTurnEnd(): void;
  /** Called when the user cancels a turn, and when one has ended that was cancelled. */
  onTurnCancelled(sessionId: string, turnKey: string): void;
  readonly stallAfterMs: number;
  /** Whether updates of an unknown kind are not folded. Listeners for updates get them. */
  readonly dropsUnknown: boolean;
}

/** How long an agent sends nothing when its replay is complete, in milliseconds. */
export const quietMs = 500;

/** A load that is under way. */
interface Load {
  /** Gives it up. */
  readonly abandon: () => void;
  /** Called after each update that arrives before the answer. */
  readonly onReplayed: (() => void) | undefined;
}

/**
 * Runs one session: passes events to the state machine and performs the effects. Everything that happens to a session
 * goes through {@link SessionRunner.dispatch}.
 */
export class SessionRunner {
  readonly sessionId: string;
  /** What the session was opened with: what is needed to open it again. */
  setup: SessionSetup;
  /** When the session was opened here, as `performance.now()` counts. */
  readonly openedAt = performance.now();
  readonly #closed = deferred<SessionEnd>();
  /** Resolves when the session is over. */
  readonly closed = this.#closed.promise;
  /** The conversation, which only the runner changes. */
  readonly store: ConversationStore;
  readonly messages: UserMessages;
  readonly notices: ListenerSet<[SessionNotice]>;
  readonly updates: ListenerSet<[ConversationUpdate, UpdateContext]>;
  /** The conversation when the history was complete that a load brings. `undefined` once the load has its answer. */
  whole: Conversation | undefined;
  readonly #stores: ReplayStores;
  readonly delivery: EventDelivery;
  readonly #environment: SessionEnvironment;
  readonly #stall: IdleTimer;
  readonly #quiet: IdleTimer;
  readonly #turns: OpenTurns;
  readonly #afterTurn = afterTurn(() => performance.now());
  /** The requests from the agent that wait for the user, by the ids that their events have. */
  readonly #requests = new Map<string, OpenRequest>();
  /** What events send, by the ids that they and their effects have: an event is data. */
  readonly senders = new Map<string, Sender>();
  #idCount = 0;
  /** The errors of the open turns whose agent was lost, by the keys of the prompts. */
  readonly #losses = new Map<string, unknown>();
  readonly #machine = new Machine<SessionState, SessionEvent, SessionEffect>(initialState());
  #load: Load | undefined;
  #closing: Promise<void> | undefined;

  constructor(sessionId: string, setup: SessionSetup, environment: SessionEnvironment) {
    this.sessionId = sessionId;
    this.setup = setup;
    this.#environment = environment;
    const failed = (listener: string) => listenerFailed(listener, environment.report);
    this.#stores = new ReplayStores(sessionId, failed('A subscriber of the conversation'));
    const { getSnapshot, subscribe } = this.#stores.shown;
    this.store = Object.freeze({ getSnapshot, subscribe });
    this.delivery = new EventDelivery(this.#stores.shown, failed('A listener for events'));
    this.#turns = openTurns(sessionId, this.delivery, environment.report);
    this.messages = new UserMessages(this, this.#turns, environment);
    this.updates = new ListenerSet(failed('A listener for updates'));
    this.notices = new ListenerSet(failed('A listener for notices'));
    this.#quiet = new IdleTimer(quietMs, () => this.dispatch({ type: 'quiet' }));
    this.#stall = new IdleTimer(environment.stallAfterMs, () => this.dispatch({ type: 'stalled' }));
  }

  get status(): SessionStatus {
    return statusOf(this.state);
  }

  /** How much of the history the last replay brought. `null` if there was none, or while it is under way. */
  get replay(): Session['replay'] {
    const { replayed } = this.state;
    return replayed === 'underWay' ? null : replayed;
  }

  /** Whether a turn runs, or the agent says that it works. */
  get isAtWork(): boolean {
    return this.state.phase === 'open' && isAtWork(this.state);
  }

  get state(): SessionState {
    return this.#machine.state;
  }

  get conversation(): Conversation {
    return this.store.getSnapshot();
  }

  /** The key of the turn that the agent works on. */
  get turnKey(): string | undefined {
    return this.state.turns[0]?.key;
  }

  /** Whether something of the history has come that the agent is asked for. */
  get hasReplay(): boolean {
    return this.#stores.hasReplay(this.state.history.is);
  }

  /** Passes an event to the state machine and performs the effects. Events that come meanwhile wait their turn. */
  dispatch(event: SessionEvent): void {
    const rules = this.#environment.endOfTurn();
    const taken = this.#machine.take(event, (state, next) => transition(state, next, rules));
    if (!taken) return;
    for (const { event: next, before, effects } of taken) {
      if (next.type === 'link_lost')
        for (const { key, isAbandoned } of before.turns) if (!isAbandoned) this.#losses.set(key, next.error);
      this.#afterTurn.follow(before, next, this.state, this.#stores);
      // Each entry of the table takes the effect of its key.
      for (const effect of effects) (this.#effects[effect.type] as (effect: SessionEffect) => void)(effect);
      this.delivery.deliver();
      this.#environment.followParent(this, next);
      // After each event: a message of the queue is sent at the end of a turn, and its own turn can stall as well.
      if (this.state.turns.length > 0) this.#stall.start();
      else this.#stall.stop();
    }
    // What is due and was not sent waits only for the end of a replay: some agents of version 1 answer before it. What
    // they replay then is shown at its end.
    if (firstDue(this.state) || unshown.has(this.state.history.is)) this.#quiet.start();
    else this.#quiet.stop();
  }

  /** The agent answered the call that opens the session. */
  opened(setup: SessionSetup, event: Omit<EventOf<'opened'>, 'type'>): void {
    this.setup = setup;
    this.dispatch({ type: 'opened', ...event });
  }

  /** A call that loads the session is sent. */
  load(load: Load): void {
    this.#load = load;
    this.dispatch({ type: 'reopen', mode: 'replace' });
  }

  /** Takes the parameters of one `session/update`, in the order of the wire. */
  receive(params: JsonObject): void {
    const { update: raw, _meta: meta } = params;
    this.#stall.restart();
    this.#quiet.restart();
    const { caller, report } = this.#environment;
    const { dialect, agent } = caller.link;
    const normalized = readUpdate(dialect, agent, params);
    this.#turns.updated(normalized.update);
    if (!normalized.update || normalized.dropped) reportMalformed(normalized, raw, report);
    if (!normalized.update) {
      if (isHistory(Object(raw))) this.dispatch({ type: 'worked', about: Object(raw) });
      return;
    }
    this.#take(normalized.update, meta);
    if (normalized.more) for (const update of normalized.more) this.#take(update, meta);
  }

  #take(taken: AnyUpdate, meta: unknown): void {
    const { caller } = this.#environment;
    const update = this.#afterTurn.separate(taken);
    // The kind is read once: each reading takes a search, because the shapes of updates are many.
    switch (update.sessionUpdate) {
      case 'subagent_update':
        if (!this.#environment.takeSubagent(this, update)) return;
        break;
      case 'cursor_update':
        if (!isPlaced(update, this.#stores.shown, this.#environment.report)) return;
        break;
      case '_unknown':
        if (this.#environment.dropsUnknown) return this.#announce(update, meta);
        break;
      case 'replay_complete':
        caller.keys.note(caller.link);
        break;
      case 'notice':
        this.#notice(update);
    }
    if (concernsState(this.state, update)) this.dispatch({ type: 'update', update });
    else this.#receive(update);
    this.delivery.deliver();
    if (this.state.history.is === 'loading') this.#load?.onReplayed?.();
    this.#announce(taken, meta);
  }

  #notice({ severity, title, description = null }: NoticeUpdate): void {
    const notice = { severity, title, description };
    this.notices.notify(notice);
    this.delivery.add({ type: 'notice', notice });
  }

  #announce(update: AnyUpdate, meta: unknown): void {
    if (this.updates.size === 0 || !isSent(update)) return;
    const isSkipped = this.state.history.is === 'skip' && isHistory(update);
    if (!isSkipped) this.updates.notify(update, isJsonObject(meta) ? { meta } : {});
  }

  /** Asks the user: see {@link openRequest}. The agent waits meanwhile, so it is not stalled. */
  request<T>(
    about: Omit<PendingRequest, 'id'>,
    from: Pick<AgentRequest, 'signal' | 'hold'>,
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<RequestOutcome<T>> {
    this.#stall.pause();
    const request = { ...about, id: this.#nextId() };
    const open = openRequest(request, from, (event) => this.dispatch(event), ask);
    this.#requests.set(request.id, open);
    this.dispatch({ type: 'request', request });
    return open.outcome.finally(() => this.#stall.resume());
  }

  /** Sessions that work for this one get its events too, so the id of an event names the session. */
  #nextId(): string {
    return `event:${this.sessionId}:${++this.#idCount}`;
  }

  /** Sends a cancellation. Resolves without it if there is nothing to cancel, because the session is not open. */
  cancel(send: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId();
      this.senders.set(id, { send: () => void send().then(resolve, reject), skip: resolve });
      const key = this.turnKey;
      this.dispatch({ type: 'cancel', id });
      // Not at the end of the turn alone: the agent may wait for its command.
      if (key !== undefined) this.#environment.onTurnCancelled(this.sessionId, key);
    });
  }

  /**
   * Ends the session with a call that closes or deletes it. What waits for the user is answered first: an agent that
   * waits for the user could not answer the call. If the call fails, the session stays open, unless the agent has
   * ended.
   */
  close(reason: 'closed' | 'deleted', send: () => Promise<void>): Promise<void> {
    this.#closing = this.#close(reason, send);
    return this.#closing;
  }

  async #close(reason: SessionEnd['reason'], send: () => Promise<void>): Promise<void> {
    await new Promise<void>((answersWritten) => {
      const id = this.#nextId();
      this.senders.set(id, { send: () => macrotask(answersWritten), skip: answersWritten });
      this.dispatch({ type: 'close', id });
    });
    try {
      await send();
      this.dispatch({ type: 'closed', end: { reason } });
    } catch (error) {
      const cause = error instanceof ConnectionClosedError ? error.cause : error;
      const closed = { type: 'closed', end: sessionEnd('connectionClosed', cause), error } as const;
      // The process that had the session has ended.
      this.dispatch(this.state.isDetached ? closed : { type: 'close_failed' });
      throw error;
    }
  }

  /** Resolves when no call that closes the session is under way. */
  async notClosing(): Promise<void> {
    await this.#closing?.catch(() => {});
  }

  /** The agent waits for this answer, so a silent agent is not stalled. */
  pauseStallWhile(answer: Promise<unknown>): void {
    this.#stall.pause();
    this.#turns.requested();
    void answer.catch(() => {}).then(() => this.#stall.resume());
  }

  readonly #effects: {
    readonly [T in SessionEffect['type']]: (effect: Extract<SessionEffect, { readonly type: T }>) => void;
  } = {
    fold: ({ update }) => this.#stores.fold(update, this.state.history.is),
    fold_history: ({ update }) => this.#receive(update),
    stores: ({ change }) => void this.#stores[change](),
    replayed: () => {
      this.whole = this.conversation;
    },
    reset: ({ conversation }) => {
      this.#stores.show(conversation);
      this.messages.skipKeysOf(conversation);
    },
    send: ({ id }) => takeFrom(this.senders, id)?.send(),
    skip: ({ id }) => takeFrom(this.senders, id)?.skip(),
    send_prompt: ({ key }) => this.#turns.get(key)?.send(),
    cancel_turn: ({ key }) => this.#turns.get(key)?.turn.abandon(),
    abandon_load: () => this.#load?.abandon(),
    accept: ({ key, messageId, meta }) => {
      if (messageId !== null) this.messages.named(key, messageId);
      this.#turns.get(key)?.turn.accept({ messageId, ...(meta && { _meta: meta }) });
    },
    settle: ({ key, outcome }) => {
      const messageId = 'result' in outcome ? outcome.result.messageId : null;
      if (messageId !== null) this.messages.named(key, messageId);
      if ('result' in outcome) {
        if (outcome.result.stopReason !== 'cancelled') this.#environment.onTurnEnd();
        else this.#environment.onTurnCancelled(this.sessionId, key);
      }
      const error = this.#losses.get(key);
      this.#losses.delete(key);
      this.#turns.settle(key, 'lost' in outcome ? { error, acceptance: outcome.lost } : outcome);
    },
    send_queued: ({ id }) => this.#turns.get(id)?.send(),
    ask: ({ id }) => {
      const request = this.#requests.get(id);
      const permission = request?.permission;
      if (permission) this.delivery.add({ type: 'permission', permission, toolCall: null });
      request?.ask();
    },
    answer: ({ id, reason }) => takeFrom(this.#requests, id)?.end(reason),
    end: ({ end }) => {
      // With the connection, its calls have ended.
      if (end.reason !== 'connectionClosed')
        this.messages.end(end.error ?? unansweredError('session.steer', this.sessionId));
      this.#closed.resolve(end);
    },
    report_stall: ({ isSteered }) =>
      this.#environment.report(stalled(this.sessionId, this.#environment.stallAfterMs, isSteered)),
  };

  #receive(update: AnyUpdate): void {
    this.#stores.receive(update, this.state.history.is, this.#environment.endOfTurn());
  }
}

/** The value of a key, which the map does not have any more. */
function takeFrom<T>(map: Map<string, T>, key: string): T | undefined {
  const value = map.get(key);
  map.delete(key);
  return value;
}

/** What is reported of an agent that has sent nothing for a while. `isSteered`: messages were steered into the turn. */
function stalled(sessionId: string, stallAfterMs: number, isSteered: boolean): Diagnostic {
  const trap = isSteered
    ? ' A message was steered into the turn, and some agents never end such a turn: only a cancel ends it then.'
    : '';
  const message = `The agent has sent nothing for ${stallAfterMs} ms in the session ${JSON.stringify(sessionId)} while a prompt is open. It may be waiting for its model, or it may hang: cancel the turn, or keep waiting.${trap}`;
  return { ...warning('session.stalled', message), sessionId };
}

/** A session of the connection: what runs it, and what its user holds. */
export interface RegisteredSession {
  readonly runner: SessionRunner;
  /** The session that the user opened: for a subagent, the one that it works for. */
  readonly session: Session;
  readonly subagent?: Subagent;
}

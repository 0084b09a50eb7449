import { emptyConversation } from '../conversation/fold.ts';
import { type Diagnostic, type DiagnosticListener, errorMessage, preview } from '../diagnostic.ts';
import {
  CapabilityError,
  ConnectionClosedError,
  InvalidMessageError,
  InvalidParamsError,
} from '../errors.ts';
import { isJsonObject } from '../json.ts';
import { type ConversationUpdate, unknownUpdate } from '../model/update.ts';
import type { Calls, NewSessionParams, OpenSessionParams } from '../protocol/calls.ts';
import type { Dialect } from '../protocol/dialect.ts';
import type { Feature } from '../protocol/feature.ts';
import type { Caller, CallOptions } from './calls.ts';
import { LiveSession, type SessionSetup } from './live-session.ts';
import { assertKnown } from './parameters.ts';
import { Session } from './session.ts';

/** How much history a restored session shall have. */
export type HistoryPolicy =
  /** Replayed where the agent can, without it otherwise. */
  | 'prefer'
  /** Replayed, or the call fails. */
  | 'require'
  /** Not replayed, unless the agent cannot do without. */
  | 'skip';

type Reopening = 'loadSession' | 'resumeSession';

const reopeningFeature = {
  loadSession: 'session.load',
  resumeSession: 'session.resume',
} as const satisfies Record<Reopening, Feature>;

const waysToRestore = {
  prefer: ['loadSession', 'resumeSession'],
  require: ['loadSession'],
  skip: ['resumeSession', 'loadSession'],
} as const satisfies Record<HistoryPolicy, readonly [Reopening, ...Reopening[]]>;

const newKeys = ['cwd', 'mcpServers', 'additionalDirectories', 'systemPrompt', '_meta'];
const openKeys = ['sessionId', ...newKeys];

/** How many updates are kept for sessions whose id is still to come. */
export const maxEarlyUpdates = 10_000;

interface Registered {
  readonly live: LiveSession;
  readonly handle: Session;
  /** The last load, where it was given up and the agent has not answered it: it may still be replaying. */
  unanswered?: Promise<void> | undefined;
}

/** The updates that say how things stand, whoever asked. All others say what was said and done. */
const standing: ReadonlySet<unknown> = new Set<ConversationUpdate['sessionUpdate']>([
  'state_update',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
  'notice',
]);

/** The open sessions of a connection: how they are opened, and where their updates go. */
export class Sessions {
  readonly #caller: Caller;
  readonly #dialect: () => Dialect;
  readonly #report: DiagnosticListener;
  readonly #stallAfterMs: number;
  readonly #registered = new Map<string, Registered>();
  /** The calls under way whose session has no id yet, and the updates that may be for it. */
  readonly #beginning = new Set<Promise<unknown>>();
  #early: { readonly sessionId: string; readonly update: unknown }[] = [];
  /** What is being opened under each id: one after the other, so that two replays cannot mix. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(caller: Caller, dialect: () => Dialect, report: DiagnosticListener, stallAfterMs: number) {
    this.#caller = caller;
    this.#dialect = dialect;
    this.#report = report;
    this.#stallAfterMs = stallAfterMs;
  }

  get handles(): readonly Session[] {
    return [...this.#registered.values()].map(({ handle }) => handle);
  }

  /** How the agent at hand speaks. */
  get dialect(): Dialect {
    return this.#dialect();
  }

  get live(): readonly LiveSession[] {
    return [...this.#registered.values()].map(({ live }) => live);
  }

  /** The session of this id; waited for while one is being opened. */
  find(sessionId: string): LiveSession | undefined | Promise<LiveSession | undefined> {
    const known = this.#registered.get(sessionId)?.live;
    if (known || this.#beginning.size === 0) return known;
    return Promise.allSettled(this.#beginning).then(() => this.#registered.get(sessionId)?.live);
  }

  /** The user's handle on a session. */
  handleOf(live: LiveSession): Session {
    return this.#registered.get(live.sessionId)?.handle ?? this.#handle(live);
  }

  /** Notes for its session that a request of the agent's is being handled. */
  serve(params: unknown, answer: Promise<unknown>): void {
    const sessionId = isJsonObject(params) ? params['sessionId'] : undefined;
    if (typeof sessionId === 'string') this.#registered.get(sessionId)?.live.stall.serve(answer);
  }

  /** Takes a `session/update` off the wire. */
  receive(params: unknown): void {
    const sessionId = isJsonObject(params) ? params['sessionId'] : undefined;
    if (!isJsonObject(params) || typeof sessionId !== 'string') {
      this.#diagnose('protocol.malformed_update', 'The agent sent an update that names no session.', params);
      return;
    }
    const known = this.#registered.get(sessionId);
    if (known) this.#pass(params['update'], known);
    else if (this.#beginning.size > 0 && this.#early.length < maxEarlyUpdates) {
      this.#early.push({ sessionId, update: params['update'] });
    } else this.#dropStranger(sessionId, params);
  }

  /** Hands an update to its session, unless it is the rest of a replay that nobody waits for. */
  #pass(update: unknown, known: Registered): void {
    // The user goes on with the session: what comes now is of the turn, as far as can be told.
    if (known.live.turns.size > 0) known.unanswered = undefined;
    const isLeftOver = known.unanswered && isJsonObject(update) && !standing.has(update['sessionUpdate']);
    if (!isLeftOver) known.live.receive(update);
  }

  /** Opens a session whose id the agent gives. */
  async begin(
    name: 'newSession' | 'forkSession',
    params: Calls[typeof name][0],
    options: CallOptions,
  ): Promise<Session> {
    assertKnown(name, params, name === 'newSession' ? newKeys : openKeys);
    // The call's own schema says which of the two it takes.
    const beginning = this.#caller.prepare(name, params as OpenSessionParams, options)();
    this.#beginning.add(beginning);
    try {
      const opened = await beginning;
      if (!opened.sessionId) {
        throw new InvalidMessageError('The agent opened a session and gave it no name.', {
          method: 'session/new',
        });
      }
      const known = this.#registered.get(opened.sessionId);
      if (known) {
        const message = `The agent gave a new session the id of one that is open, ${JSON.stringify(opened.sessionId)}. What it sends for the two cannot be told apart: they are one.`;
        this.#diagnose('protocol.malformed_result', message, opened);
        known.live.setup = setupOf(params);
      }
      const { live, handle } = known ?? this.#register(opened.sessionId, setupOf(params));
      for (const { sessionId, update } of this.#early) if (sessionId === live.sessionId) live.receive(update);
      this.#early = this.#early.filter(({ sessionId }) => sessionId !== live.sessionId);
      live.opened(opened);
      return handle;
    } finally {
      this.#beginning.delete(beginning);
      if (this.#beginning.size === 0) this.#dropEarly();
    }
  }

  /** Opens a session in the best way the agent offers. */
  async restore(
    params: OpenSessionParams,
    history: HistoryPolicy,
    supports: (feature: Feature) => boolean,
    options: CallOptions,
  ): Promise<Session> {
    if (!Object.hasOwn(waysToRestore, history)) {
      const known = Object.keys(waysToRestore).join(', ');
      throw new InvalidParamsError(
        `restoreSession: history is ${JSON.stringify(history)}; choose one of ${known}. Nothing was sent.`,
      );
    }
    const ways = waysToRestore[history];
    return this.reopen(ways.find((way) => supports(reopeningFeature[way])) ?? ways[0], params, options);
  }

  /** Opens a session whose id is known. */
  async reopen(name: Reopening, params: OpenSessionParams, options: CallOptions): Promise<Session> {
    assertKnown(name, params, openKeys);
    const { sessionId } = params;
    const replays = name === 'loadSession';
    const send = this.#caller.prepare(name, params, {
      ...options,
      ...(replays && { onGivenUp: (answered) => this.#giveUp(sessionId, answered) }),
    });
    const mine = this.#reopenAfter(this.#queues.get(sessionId), replays, params, send);
    this.#queues.set(sessionId, mine);
    try {
      return await mine;
    } finally {
      if (this.#queues.get(sessionId) === mine) this.#queues.delete(sessionId);
    }
  }

  async #reopenAfter(
    before: Promise<unknown> | undefined,
    replays: boolean,
    params: OpenSessionParams,
    send: () => Promise<Calls[Reopening][1]>,
  ): Promise<Session> {
    if (before) await before.catch(() => {});
    const known = this.#registered.get(params.sessionId);
    // Known before the call is written, so that not one update of the replay can come too early.
    const { live, handle } = known ?? this.#register(params.sessionId, setupOf(params));
    const earlier = live.conversation;
    if (replays) {
      if (known) known.unanswered = undefined;
      live.store.reset(emptyConversation(earlier.sessionId));
      live.replays++;
    }
    try {
      const opened = await send();
      live.setup = setupOf(params);
      live.opened(opened);
      return handle;
    } catch (error) {
      if (known && replays) {
        live.restore(earlier);
        if (error instanceof ConnectionClosedError) live.rest();
      }
      if (!known) {
        this.forget(params.sessionId);
        live.end(error);
      }
      throw error;
    } finally {
      if (replays) live.replays--;
    }
  }

  #giveUp(sessionId: string, answered: Promise<void>): void {
    const known = this.#registered.get(sessionId);
    if (!known) return;
    known.unanswered = answered;
    answered
      .then(() => {
        if (known.unanswered === answered) known.unanswered = undefined;
      })
      .catch(() => {});
  }

  /**
   * Goes on with a session on another run of the agent, and marks the gap. Without a replay where the agent can do
   * that: what was said is here already, and a replay may know less of a turn that a crash cut short.
   */
  async goOn(live: LiveSession, caller: Caller, reason: string): Promise<void> {
    const { sessionId, setup } = live;
    const earlier = live.conversation;
    const known = this.#registered.get(sessionId);
    // Whom a load was asked of is gone.
    if (known) known.unanswered = undefined;
    for (const way of waysToRestore.skip) {
      const replays = way === 'loadSession';
      try {
        const send = caller.prepare(way, { sessionId, ...setup });
        if (replays) {
          live.store.reset(emptyConversation(sessionId));
          live.replays++;
        }
        live.opened(await send());
        live.fold(unknownUpdate({ sessionUpdate: '_reconnected', reason, restoredBy: way }));
        return;
      } catch (error) {
        if (error instanceof CapabilityError) continue;
        if (replays) live.store.reset(earlier);
        // The next run of the agent gets its chance to go on with it.
        if (error instanceof ConnectionClosedError) return;
        this.#report({
          rule: 'protocol.unknown_session',
          severity: 'error',
          message: `The session ${JSON.stringify(sessionId)} could not be restored after the agent was started again: ${errorMessage(error)}`,
        });
      } finally {
        if (replays && live.replays > 0) live.replays--;
      }
    }
    live.fold(unknownUpdate({ sessionUpdate: '_reconnected', reason, restoredBy: null }));
    this.forget(sessionId);
    live.end();
  }

  /** Takes a session off the list. What still comes for it is a stranger's. */
  forget(sessionId: string): LiveSession | undefined {
    const known = this.#registered.get(sessionId);
    this.#registered.delete(sessionId);
    return known?.live;
  }

  /** Ends every session: nothing more will come. */
  end(errorFor: (live: LiveSession) => unknown): void {
    for (const { live } of this.#registered.values()) live.end(errorFor(live));
    this.#registered.clear();
    this.#dropEarly();
  }

  #register(sessionId: string, setup: SessionSetup): Registered {
    const live = new LiveSession(sessionId, setup, this.#dialect, this.#report, this.#stallAfterMs);
    const registered = { live, handle: this.#handle(live) };
    this.#registered.set(sessionId, registered);
    return registered;
  }

  #handle(live: LiveSession): Session {
    return Session.create(live, this.#caller, () => this.forget(live.sessionId));
  }

  #dropEarly(): void {
    for (const { sessionId, update } of this.#early) this.#dropStranger(sessionId, update);
    this.#early = [];
  }

  #dropStranger(sessionId: string, received: unknown): void {
    const message = `The agent sent an update for the session ${JSON.stringify(sessionId)}, which is not open here. It was dropped.`;
    this.#diagnose('protocol.unknown_session', message, received);
  }

  #diagnose(rule: Diagnostic['rule'], message: string, received: unknown): void {
    this.#report({ rule, severity: 'warning', message, received: preview(received) });
  }
}

function setupOf({ cwd, mcpServers, additionalDirectories }: NewSessionParams): SessionSetup {
  return { cwd, ...(mcpServers && { mcpServers }), ...(additionalDirectories && { additionalDirectories }) };
}

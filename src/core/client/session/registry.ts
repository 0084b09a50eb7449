import { type Diagnostic, warning } from '../../base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { settlesWithin } from '../../base/wait.ts';
import type { ToolCallProgress } from '../../model/tool-call.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import { abandonedLoads } from './abandoned-loads.ts';
import { takeHistoryEnd } from './history-end.ts';
import type { SessionEnd } from './machine/session-end.ts';
import type { SessionSetup } from './machine/state.ts';
import { OpenSession } from './open-session.ts';
import type { ProvidedServers } from './provided-servers.ts';
import { type RegisteredSession, type SessionEnvironment, SessionRunner } from './runner.ts';
import type { Session } from './session.ts';
import { setCreated, setOrigin } from './session-origin.ts';
import { Subagents } from './subagents.ts';

/** How many bytes of updates are folded for sessions whose id no answer has confirmed yet. */
export const maxUnconfirmedBytes = 16 * 1024 * 1024;

/** How many sessions an agent may use before it answers the calls that create them. */
const maxUnconfirmedSessions = 100;

/** How long a call waits until the terminals of a session or connection are released, in milliseconds. */
export const releaseLimitMs = 1000;

/** What the registry is made with. */
export interface SessionRegistryOptions
  extends Omit<SessionEnvironment, 'endOfTurn' | 'takeSubagent' | 'followParent'> {
  readonly servers: ProvidedServers;
  /** Releases the terminals of a session, once the session is closed. */
  readonly releaseTerminals: (session: Session) => Promise<void>;
}

/** The sessions of a connection: which session a message belongs to. */
export class SessionRegistry {
  readonly abandonedLoads = abandonedLoads((sessionId) =>
    this.get(sessionId)?.runner.dispatch({ type: 'late_answer' }),
  );
  readonly #environment: SessionEnvironment;
  readonly #sessions = new Map<string, RegisteredSession>();
  /** The setups of the calls under way whose session has no id yet. */
  readonly #expected = new Set<SessionSetup>();
  /** Sessions that the agent uses, and whose id may be in the answer to one of those calls. */
  readonly #unconfirmed = new Map<string, RegisteredSession>();
  #unconfirmedBytes = 0;
  readonly #releaseHeld: (session: Session) => Promise<unknown>;
  readonly #subagents: Subagents;

  constructor({ servers, releaseTerminals, ...environment }: SessionRegistryOptions) {
    this.#releaseHeld = (session) =>
      Promise.all([releaseTerminals(session), servers.release(session.sessionId)]);
    this.#environment = {
      ...environment,
      endOfTurn: () => environment.caller.link.dialect.endOfTurn,
      takeSubagent: (parent, update) => this.#subagents.take(parent, update),
      followParent: (parent, event) => {
        if (event.type === 'cancel') servers.cancel(parent.sessionId);
        if (event.type === 'close') servers.interrupt(parent.sessionId);
        this.#subagents.follow(parent, event);
      },
    };
    this.#subagents = new Subagents(
      this.#environment,
      (sessionId) => this.#sessions.get(sessionId) ?? this.#unconfirmed.get(sessionId),
    );
  }

  /** The agent's dialect that runs now; `undefined` until it answered `initialize`. */
  get dialect(): Dialect | undefined {
    return this.#environment.caller.dialect;
  }

  get sessions(): readonly RegisteredSession[] {
    return [...this.#sessions.values()];
  }

  get(sessionId: string): RegisteredSession | undefined {
    return this.#sessions.get(sessionId);
  }

  /** The session of a message. An agent may use a new session before it answers the call that creates it. */
  find(sessionId: string): RegisteredSession | undefined {
    return (
      this.#sessions.get(sessionId) ??
      this.#subagents.get(sessionId) ??
      this.#unconfirmed.get(sessionId) ??
      this.#addUnconfirmed(sessionId)
    );
  }

  /** Takes the parameters of a `session/update`, in the order of the wire. */
  receive(params: unknown): void {
    const sessionId = isJsonObject(params) ? params['sessionId'] : undefined;
    if (!isJsonObject(params) || typeof sessionId !== 'string') {
      const message = 'The agent sent an update without a session id.';
      this.#environment.report(warning('protocol.malformed_update', message, params));
      return;
    }
    const known = this.#sessions.get(sessionId) ?? this.#subagents.get(sessionId);
    this.abandonedLoads.received(sessionId);
    if (known) known.runner.receive(params);
    else this.#receiveUnconfirmed(sessionId, params);
  }

  /** Takes a notification that only this agent sends. Returns whether it was one. */
  takeNotice(method: string, params: unknown): boolean {
    const { agent } = this.#environment.caller.link;
    const notice = agent.subagentNotice?.(method, params);
    if (notice) this.receive(notice);
    const runners = this.sessions.map(({ runner }) => runner);
    return takeHistoryEnd(agent, method, params, runners) || notice !== undefined;
  }

  /** The agent called the client or a tool, in a session or in one that works for it. */
  worked(sessionId: string, about: object): void {
    const { session } = this.#sessions.get(sessionId) ?? this.#subagents.get(sessionId) ?? {};
    if (session) this.#sessions.get(session.sessionId)?.runner.dispatch({ type: 'worked', about });
  }

  /** Shows how far a tool of the editor is, in the tool call of the session or of one that works for it. */
  showToolProgress(sessionId: string, toolCallId: string, progress: ToolCallProgress | null): void {
    const opened = this.#sessions.get(sessionId);
    if (!opened) return;
    for (const { runner } of [opened, ...this.#subagents.workingFor(opened.session)])
      runner.dispatch({ type: 'tool_progress', toolCallId, progress });
  }

  /** Adds a session. It must be added before its call is written, so that no update of a replay comes too early. */
  register(sessionId: string, setup: SessionSetup): RegisteredSession {
    const registered = this.#create(sessionId, setup);
    this.#sessions.set(sessionId, registered);
    return registered;
  }

  /**
   * Removes a session that is closed. Further messages for it are those of an unknown session. Resolves when what it
   * held is released, or after one second.
   */
  async forget(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId)?.session;
    if (!session) return;
    this.#sessions.delete(sessionId);
    await settlesWithin(this.#releaseHeld(session), releaseLimitMs);
  }

  /** A call was sent whose answer names a new session. */
  expect(setup: SessionSetup): void {
    this.#expected.add(setup);
  }

  /** The answer named the session. */
  confirm(sessionId: string, setup: SessionSetup): RegisteredSession {
    const known = this.#sessions.get(sessionId);
    if (known) {
      const message = `The agent gave a new session the id of an open one, ${JSON.stringify(sessionId)}. Their messages cannot be told apart, so both are one session.`;
      this.#environment.report(warning('protocol.malformed_result', message, sessionId));
      return known;
    }
    const registered = this.#unconfirmed.get(sessionId) ?? this.#create(sessionId, setup);
    this.#unconfirmed.delete(sessionId);
    this.#sessions.set(sessionId, registered);
    setCreated(registered.session);
    return registered;
  }

  /** The call ended. Sessions that no open call can name are forgotten. */
  stopExpecting(setup: SessionSetup): void {
    this.#expected.delete(setup);
    if (this.#expected.size === 0) this.#dropUnconfirmed();
  }

  /** Ends every session, because the connection has ended. */
  end(end: SessionEnd, errorFor: () => unknown, interruption: string | undefined): void {
    for (const { runner } of this.#sessions.values()) {
      const error = errorFor();
      runner.dispatch({ type: 'closed', end, error, ...(interruption !== undefined && { interruption }) });
    }
    this.#sessions.clear();
    this.#dropUnconfirmed();
  }

  #create(sessionId: string, setup: SessionSetup): RegisteredSession {
    const runner = new SessionRunner(sessionId, setup, this.#environment);
    const session: Session = new OpenSession(runner, {
      caller: this.#environment.caller,
      report: this.#environment.report,
      forget: () => this.forget(sessionId),
      subagents: () => this.#subagents.of(session),
    });
    setOrigin(session, this.#environment);
    return { runner, session };
  }

  /** Of several calls under way it is not known which one creates the session: until the answer, the oldest counts. */
  #addUnconfirmed(sessionId: string): RegisteredSession | undefined {
    const [setup] = this.#expected;
    if (!setup || this.#unconfirmed.size >= maxUnconfirmedSessions) return undefined;
    const registered = this.#create(sessionId, setup);
    this.#unconfirmed.set(sessionId, registered);
    return registered;
  }

  #receiveUnconfirmed(sessionId: string, params: JsonObject): void {
    // The rest of a replay that was abandoned is expected.
    if (this.abandonedLoads.has(sessionId)) return;
    const found = this.find(sessionId);
    if (!found) return this.#environment.report(unknownSession(sessionId, params));
    this.#unconfirmedBytes += JSON.stringify(params).length;
    if (this.#unconfirmedBytes <= maxUnconfirmedBytes) {
      found.runner.receive(params);
      return;
    }
    const message = `The agent sent more than ${maxUnconfirmedBytes} bytes of updates before it answered the call that creates their session. The update was dropped.`;
    this.#environment.report(warning('protocol.unknown_session', message, params));
  }

  #dropUnconfirmed(): void {
    for (const [sessionId, { runner, session }] of this.#unconfirmed) {
      this.#environment.report(unknownSession(sessionId, undefined));
      runner.dispatch({ type: 'closed', end: { reason: 'notOpened' } });
      void this.#releaseHeld(session);
    }
    this.#unconfirmed.clear();
    this.#unconfirmedBytes = 0;
  }
}

/** The problem of an update for a session that is not open. */
export function unknownSession(sessionId: string, received: unknown): Diagnostic {
  const message = `The agent sent an update for the session ${JSON.stringify(sessionId)}, which is not open here. It was dropped.`;
  return warning('protocol.unknown_session', message, received);
}

import { warning } from '../../base/diagnostic.ts';
import { maxSubagents } from '../../conversation/subagents.ts';
import { isInBackground } from '../../model/session.ts';
import type { SubagentUpdate } from '../../model/update.ts';
import type { EventOf, SessionEvent } from './machine/events.ts';
import { OpenSubagent } from './open-subagent.ts';
import { type RegisteredSession, type SessionEnvironment, SessionRunner } from './runner.ts';
import type { Session } from './session.ts';

/** A session that works for another one. */
interface RegisteredSubagent extends RegisteredSession {
  readonly subagent: OpenSubagent;
  /** The session that it works for. */
  readonly parent: SessionRunner;
}

/** The session that the user opened, or opens now, if it has this id. */
type FindOpened = (sessionId: string) => RegisteredSession | undefined;

/** The sessions of a connection that work for other sessions, by the id of their own session. */
export class Subagents {
  readonly #environment: SessionEnvironment;
  readonly #openedSession: FindOpened;
  readonly #subagents = new Map<string, RegisteredSubagent>();
  /** The sessions that are being opened again, and how. What is said of their subagents meanwhile is history. */
  readonly #reopening = new Map<SessionRunner, EventOf<'reopen'>['mode']>();
  /** The subagents whose history is being replayed. */
  readonly #replaying = new Set<RegisteredSubagent>();

  constructor(environment: SessionEnvironment, openedSession: FindOpened) {
    // The client does not prompt a subagent, so in every version its state is what the agent reports.
    this.#environment = { ...environment, endOfTurn: () => 'state_update' };
    this.#openedSession = openedSession;
  }

  get(sessionId: string): RegisteredSubagent | undefined {
    return this.#subagents.get(sessionId);
  }

  /** The subagents of a session, in the order of their first update. A subagent may have subagents of its own. */
  of(session: Session): readonly OpenSubagent[] {
    return this.workingFor(session).map(({ subagent }) => subagent);
  }

  /** The subagents of a session, with what runs them. */
  workingFor(session: Session): readonly RegisteredSubagent[] {
    return [...this.#subagents.values()].filter((registered) => registered.session === session);
  }

  /**
   * Takes what the agent says of a subagent to the session that it works for. Returns `false` if it is dropped.
   *
   * @see https://agentclientprotocol.com/protocol/v2/subagents
   */
  take(parent: SessionRunner, update: SubagentUpdate): boolean {
    const known = this.#subagents.get(update.sessionId);
    const owner = this.#openedSession(parent.sessionId) ?? this.#subagents.get(parent.sessionId);
    // Only a session that is registered gets updates.
    if (!owner) return false;
    const { session } = owner;
    const refusal = known ? refusedParent(known, parent) : this.#refusedSubagent(session, update);
    if (refusal) {
      this.#environment.report(warning(refusal.rule, refusal.message, update));
      return false;
    }
    const registered = known ?? this.#add(parent, session, update);
    if (!known && !this.#reopening.has(parent)) {
      this.#openedSession(session.sessionId)?.runner.dispatch({ type: 'worked', about: update });
    }
    this.#beginReplay(registered);
    registered.subagent.take(update);
    return true;
  }

  /** What happens to a session happens to the sessions that work for it. */
  follow(parent: SessionRunner, event: SessionEvent): void {
    // Each entry of the table takes the event of its key.
    const react = this.#reactions[event.type] as
      | ((parent: SessionRunner, event: SessionEvent) => void)
      | undefined;
    react?.(parent, event);
  }

  /** What an event of a session does to the sessions that work for it. */
  readonly #reactions: {
    readonly [T in SessionEvent['type']]?: (parent: SessionRunner, event: EventOf<T>) => void;
  } = {
    reopen: (parent, { mode }) => {
      this.#reopening.set(parent, mode);
      for (const child of this.#childrenOf(parent)) this.#forgetPresent(child);
    },
    opened: (parent) => {
      const isReopened = this.#reopening.delete(parent);
      for (const child of this.#childrenOf(parent)) {
        this.#replaying.delete(child);
        const { runner } = child;
        if (!isReopened && runner.status !== 'interrupted') continue;
        runner.dispatch({ type: 'opened', opened: {}, mayReplayOn: false });
        // What the agent said before its answer was history. It reports what is so now after it.
        this.#forgetPresent(child);
      }
    },
    reopen_failed: (parent, event) => {
      this.#reopening.delete(parent);
      for (const child of this.#childrenOf(parent)) {
        this.#replaying.delete(child);
        child.runner.dispatch(event);
        this.#forgetPresent(child);
      }
    },
    late_answer: (parent, event) => this.#pass(parent, event),
    cancel: (parent, { id }) => {
      const { background } = parent.conversation.activity;
      for (const { runner } of this.#childrenOf(parent)) {
        // The agent cancels what it works for: the client has sent one cancellation.
        if (!isInBackground(background, runner)) runner.dispatch({ type: 'cancel', id });
      }
    },
    cancel_requests: (parent, event) => this.#pass(parent, event),
    close: (parent, event) => this.#pass(parent, event),
    close_failed: (parent, event) => this.#pass(parent, event),
    closed: (parent, event) => {
      this.#reopening.delete(parent);
      for (const child of this.#childrenOf(parent)) {
        this.#replaying.delete(child);
        child.runner.dispatch(event);
        this.#subagents.delete(child.runner.sessionId);
        this.#environment.caller.subagents.delete(child.runner.sessionId);
      }
    },
    link_lost: (parent, event) => {
      this.#pass(parent, event);
      for (const { subagent } of this.#childrenOf(parent)) subagent.forgetPresent();
    },
    link_restored: (parent, event) => this.#pass(parent, event),
  };

  /** The conversation of the parent shows what the subagent permits, as the subagent itself does. */
  #forgetPresent({ parent, runner, subagent }: RegisteredSubagent): void {
    const { sessionId } = runner;
    if (subagent.capabilities !== null) {
      const update = { sessionUpdate: 'subagent_update', sessionId, capabilities: null } as const;
      parent.dispatch({ type: 'changed', update });
    }
    subagent.forgetPresent();
  }

  #pass(parent: SessionRunner, event: SessionEvent): void {
    for (const { runner } of this.#childrenOf(parent)) runner.dispatch(event);
  }

  #childrenOf(parent: SessionRunner): readonly RegisteredSubagent[] {
    return [...this.#subagents.values()].filter((registered) => registered.parent === parent);
  }

  #refusedSubagent(owner: Session, { sessionId }: SubagentUpdate) {
    if (this.#openedSession(sessionId)) {
      const message = `The agent announced ${JSON.stringify(sessionId)} as a subagent, which is a session that the client opened. The update was dropped.`;
      return { rule: 'protocol.malformed_update', message } as const;
    }
    if (this.of(owner).length < maxSubagents) return undefined;
    const message = `The agent announced more than ${maxSubagents} subagents in the session ${JSON.stringify(owner.sessionId)}. ${JSON.stringify(sessionId)} and its updates are dropped.`;
    return { rule: 'protocol.unknown_session', message } as const;
  }

  #add(parent: SessionRunner, session: Session, announcement: SubagentUpdate): RegisteredSubagent {
    const { caller } = this.#environment;
    const runner = new SessionRunner(announcement.sessionId, parent.setup, this.#environment);
    runner.dispatch({ type: 'opened', opened: {}, mayReplayOn: false });
    const subagent = new OpenSubagent(runner, {
      caller,
      parentSessionId: parent.sessionId,
      parentFolders: () => this.#subagents.get(parent.sessionId)?.subagent ?? parent.setup,
      announcement,
    });
    const registered = { runner, session, subagent, parent };
    this.#subagents.set(announcement.sessionId, registered);
    caller.subagents.set(announcement.sessionId, subagent);
    return registered;
  }

  /** What the agent sends of a subagent that it announces while it opens the parent again is history as well. */
  #beginReplay(registered: RegisteredSubagent): void {
    const { parent, runner } = registered;
    const mode = this.#reopening.get(parent);
    if (!mode || this.#replaying.has(registered)) return;
    this.#replaying.add(registered);
    if (mode === 'keep') runner.dispatch({ type: 'reopen', mode, shown: runner.conversation });
    else runner.dispatch({ type: 'reopen', mode });
  }
}

/** A subagent stays with the session that it was announced for. */
function refusedParent({ runner, parent }: RegisteredSubagent, other: SessionRunner) {
  if (parent === other) return undefined;
  const message = `The agent announced ${JSON.stringify(runner.sessionId)} as a subagent of ${JSON.stringify(other.sessionId)}, and it is one of ${JSON.stringify(parent.sessionId)}. The update was dropped.`;
  return { rule: 'protocol.malformed_update', message } as const;
}

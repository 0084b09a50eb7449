import { errorMessage } from '../../base/diagnostic.ts';
import {
  AuthRequiredError,
  CapabilityError,
  ConnectionClosedError,
  HttpError,
  MethodNotFoundError,
  NotFoundError,
  RemoteError,
} from '../../base/errors.ts';
import { deferred, delay } from '../../base/wait.ts';
import type { Caller } from '../calls/calls.ts';
import { isHistoryDue } from './history-end.ts';
import { holdsUnnamed } from './machine/held-turns.ts';
import { sessionEnd } from './machine/session-end.ts';
import { type HistoryPolicy, type OpenerParts, reopeningOrder } from './opener.ts';
import type { RegisteredSession } from './runner.ts';

/**
 * How often a session that the agent refuses is opened again, at most. Some agents find a session of another process only
 * after a while.
 */
const maxTries = 13;

/** How often a session that was opened before is tried. */
const maxTriesOfOld = 4;

/** How long ago a session was opened that is tried more often, in milliseconds. */
const youngMs = 65_000;

/** How a session is opened again. */
export interface RejoinOptions {
  readonly history: HistoryPolicy;
  /** The same for a session with a prompt that the agent may have: its history can show that, and that it knows keys. */
  readonly historyOfPrompts: HistoryPolicy;
  /** The wait before it is tried again, in milliseconds. The first is number 0. */
  readonly waitMs: (retry: number) => number;
}

/** The sessions whose agent ended, or whose messages were lost, and that are opened again. */
export class LostSessions {
  readonly #parts: Omit<OpenerParts, 'caller'>;
  readonly #rejoining = new Set<Promise<boolean>>();

  constructor(parts: Omit<OpenerParts, 'caller'>) {
    this.#parts = parts;
  }

  /** Resolves when no session is being opened again. `undefined` if none is now. */
  rejoined(): Promise<unknown> | undefined {
    return this.#rejoining.size > 0 ? Promise.all(this.#rejoining) : undefined;
  }

  /**
   * Opens all sessions again. Resolves when the agent has answered about each of them: a session that it refused, and that
   * is tried again, has a promise.
   */
  rejoinAll(caller: Caller, options: RejoinOptions) {
    // The call that closes a session is sent again, and the session is not opened for it.
    const lost = this.#parts.registry.sessions.filter(({ runner }) => runner.status !== 'closing');
    return Promise.all(
      lost.map(async (session) => {
        const { isSettled, isOpened } = this.rejoin(session, caller, options);
        return { session, isOpened: (await isSettled) ? await isOpened : isOpened };
      }),
    );
  }

  /**
   * Opens a session again. What the user has seen stays. `isSettled` resolves at the first answer of the agent: to whether
   * that was the last one. `isOpened` resolves to whether the agent has opened the session, and never rejects.
   */
  rejoin(session: RegisteredSession, caller: Caller, options: RejoinOptions) {
    const settled = deferred<boolean>();
    const isOpened = this.#open(session, caller, options, () => settled.resolve(false));
    this.#rejoining.add(isOpened);
    void isOpened.finally(() => {
      this.#rejoining.delete(isOpened);
      settled.resolve(true);
    });
    return { isSettled: settled.promise, isOpened };
  }

  async #open(
    session: RegisteredSession,
    caller: Caller,
    { history, historyOfPrompts, waitMs }: RejoinOptions,
    onRefused: () => void,
  ): Promise<boolean> {
    const { runner } = session;
    const { link } = caller;
    const ended = new AbortController();
    void link.peer.closed.finally(() => ended.abort());
    for (let count = 1; ; count++) {
      const isYoung = performance.now() - runner.openedAt < youngMs;
      const isLast = count >= (isYoung ? maxTries : maxTriesOfOld);
      const order = reopeningOrder[holdsUnnamed(runner.state) ? historyOfPrompts : history];
      const result = await this.#try(session, caller, order, isLast);
      if (typeof result === 'boolean') return result;
      if (isLast || !mayChange(result.failure)) {
        this.#giveUp(session, result.failure);
        return false;
      }
      onRefused();
      await delay(waitMs(count - 1), ended.signal);
      // The next process that is started gets the session.
      if (ended.signal.aborted || runner.status === 'closed' || caller.link !== link) return false;
    }
  }

  /** Resolves to whether the session is open, or to why the agent refused it. */
  async #try(
    { runner, session }: RegisteredSession,
    caller: Caller,
    order: (typeof reopeningOrder)[HistoryPolicy],
    isLast: boolean,
  ): Promise<boolean | { readonly failure: unknown }> {
    const { sessionId, setup } = runner;
    const { requires } = setup;
    let failure: unknown;
    for (const call of order) {
      try {
        await this.#parts.servers.open(setup.mcpServers, caller, async (mcpServers) => {
          const send = caller.prepare(call, { sessionId, ...setup, mcpServers }, { requires });
          const isReplayed = call === 'loadSession';
          runner.dispatch({ type: 'reopen', mode: 'keep', isReplayed, shown: runner.conversation });
          const opened = await send();
          runner.opened(setup, {
            opened,
            mayReplayOn: isReplayed,
            isHistoryDue: isHistoryDue(caller.link.agent, runner),
          });
          return session;
        });
        return true;
      } catch (error) {
        if (runner.status === 'closed') return false;
        runner.dispatch({ type: 'reopen_failed', isAbandoned: false });
        // The next process that is started gets the session.
        if (error instanceof ConnectionClosedError || caller.refusal(call)) return false;
        const isAbsent = error instanceof CapabilityError || error instanceof MethodNotFoundError;
        // Why the agent refuses the session says more than that it has no other call for it.
        if (!isAbsent || !mayChange(failure)) failure = error;
        // A session without its latest text is better than none.
        if (!isAbsent && !(isLast && mayChange(error))) break;
      }
    }
    return { failure };
  }

  #giveUp({ runner }: RegisteredSession, failure: unknown): void {
    const { sessionId } = runner;
    // The advice of the gate is for a call of the user.
    const why =
      failure instanceof CapabilityError
        ? failure.missing.map(({ reason }) => reason).join(' ')
        : errorMessage(failure);
    const message = `The session ${JSON.stringify(sessionId)} could not be opened again: ${why}`;
    this.#parts.report({ rule: 'protocol.unknown_session', severity: 'error', message });
    runner.dispatch({ type: 'closed', end: sessionEnd('notRestored', failure), error: failure });
    void this.#parts.registry.forget(sessionId);
  }
}

/** Whether the agent may accept later what it refused with this error. */
function mayChange(error: unknown): boolean {
  if (!(error instanceof RemoteError)) return false;
  return !(
    error instanceof AuthRequiredError ||
    error instanceof MethodNotFoundError ||
    error instanceof NotFoundError ||
    error instanceof HttpError
  );
}

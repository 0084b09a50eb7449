import { type AuthRequiredError, InvalidParamsError, TimeoutError } from '../../base/errors.ts';
import { shown } from '../../base/options.ts';
import { withLimits } from '../../base/wait.ts';
import type { AuthMethod } from '../../protocol/dialect.ts';

/** The calls that log the user in or out, by method and by name. They never wait for a login. */
export const loginCalls: ReadonlySet<string> = new Set([
  'login',
  'authenticate',
  'auth/login',
  'logout',
  'auth/logout',
  'auth/status',
]);

/** Waits for the login that a refused call needs. Rejects if the call must not be sent again. */
export type LoggedIn = (refusal: AuthRequiredError, login: Promise<void>) => Promise<void>;

/** Sends a call that was checked. */
export type SendPrepared<T> = (loggedIn?: LoggedIn) => Promise<T>;

/** What ends the wait for a login. */
export interface LoginLimits {
  /** Aborting it rejects the wait with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How many milliseconds the call has left. `undefined`: no limit. */
  readonly remainingMs: () => number | undefined;
}

/** What a call needs of a {@link Login}. */
export type LoginWait = Pick<Login, 'isUnderWay' | 'wait'>;

/** Asks the user to log in when the agent refuses calls for the lack of a login. */
export class Login {
  readonly #ask: (method: string, reason: string | undefined) => unknown;
  #underWay: Promise<void> | undefined;

  /** @param ask - Asks the user, because the agent refused `method`, with the reason that it gave. */
  constructor(ask: (method: string, reason: string | undefined) => unknown) {
    this.#ask = ask;
  }

  /** Whether the user is being asked now. */
  get isUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  /** Waits until the user has logged in. The user is asked once, however many calls wait. */
  wait(
    method: string,
    { agentMessage }: AuthRequiredError,
    { signal, remainingMs }: LoginLimits,
  ): Promise<void> {
    this.#underWay ??= this.#run(method, agentMessage || undefined);
    const timeoutMs = remainingMs();
    return withLimits(this.#underWay, {
      signal,
      timeoutMs,
      timeoutError: () => {
        const message = `The agent refused ${method} for the lack of a login, and the user did not log in within the time limit of the call. It was not sent again. Without timeoutMs, the call waits for onAuthRequired.`;
        return new TimeoutError(message, { method, timeoutMs: timeoutMs ?? 0 });
      },
    });
  }

  async #run(method: string, reason: string | undefined): Promise<void> {
    try {
      // Beside the call: what the handler calls at once is called during the login as well.
      await Promise.resolve();
      await this.#ask(method, reason);
    } finally {
      this.#underWay = undefined;
    }
  }
}

/** Begins to count a limit down. Returns the function that says how much is left. */
export function countdown(timeoutMs: number | undefined): () => number | undefined {
  if (timeoutMs === undefined) return () => undefined;
  const end = performance.now() + timeoutMs;
  return () => Math.max(0, Math.ceil(end - performance.now()));
}

/**
 * Checks the method of a login against those that the agent offers.
 *
 * @throws {@link InvalidParamsError} if the agent does not offer it, or does not perform it itself.
 */
export function assertLoginMethod(methodId: string, authMethods: readonly AuthMethod[]): void {
  const method = authMethods.find((candidate) => candidate.methodId === methodId);
  // An agent without any method lacks the capability, which the gate reports.
  if (method?.type === 'agent' || authMethods.length === 0) return;
  const offered = authMethods.filter(({ type }) => type === 'agent').map((candidate) => candidate.methodId);
  const expected =
    offered.length === 0
      ? 'a login that the agent performs itself, and it offers none'
      : `one of ${offered.join(', ')}`;
  const how =
    method?.type === 'terminal'
      ? "run the agent's program with the method's args and env, then connect again"
      : 'log in as the agent describes it, then connect again';
  const why = method
    ? `the method ${shown(methodId)} is of type ${method.type}, which does not use the connection: ${how}`
    : `methodId must be ${expected}; got ${shown(methodId)}`;
  throw new InvalidParamsError(`login: ${why}. Nothing was sent.`);
}

import { errorMessage, warning } from '../base/diagnostic.ts';
import { AcpError, ConnectionClosedError, HttpError, TimeoutError } from '../base/errors.ts';
import { hasMethods } from '../base/options.ts';
import { abortWith, backOffMs, delay, withJitter } from '../base/wait.ts';
import type { Caller } from './calls/calls.ts';
import type { Link } from './calls/link.ts';
import { LostCalls, type WhenReturned } from './calls/lost-calls.ts';
import type { ReconnectOptions } from './reconnect.ts';
import { LostSessions, type RejoinOptions } from './session/lost-sessions.ts';
import type { EventOf } from './session/machine/events.ts';
import type { OpenerParts } from './session/opener.ts';

const defaultGiveUpAfterMs = 24 * 3600 * 1000;

/** After this time without the server, in milliseconds, the waits grow to this many times `maxDelayMs`. */
const slowAfterMs = 5 * 60 * 1000;
const slowFactor = 6;

/** What a {@link Restarter} needs of its connection. */
export interface RestarterParts extends Omit<OpenerParts, 'caller'> {
  /** Starts the agent. */
  readonly start: (signal: AbortSignal) => Promise<Link>;
  /** Whether a network is between the client and the agent that ran last. */
  readonly isRemote: () => boolean;
}

/**
 * When the next attempt begins:
 *
 * - `later`: after a wait, which has not begun
 * - `waiting`: at `at`, as `Date.now()` counts, or when `wake` is called
 * - `due`: at once, when that which is under way has failed
 */
type NextAttempt =
  | { readonly is: 'later' | 'due' }
  | { readonly is: 'waiting'; readonly at: number; readonly wake: () => void };

/** Starts the agent again, with growing pauses, until an attempt succeeds or it is given up. */
export class Restarter {
  readonly #parts: RestarterParts;
  readonly #options: ReconnectOptions;
  readonly #maxDelayMs: number;
  /** The attempts that count. */
  #attempts = 0;
  /** The waits since one was short. */
  #waits = 0;
  /** When the agent was lost, unless it was well since. */
  #lostAt: number | undefined;
  #startedAt = performance.now();
  #next: NextAttempt = { is: 'later' };
  /** The sessions that are opened again. */
  readonly sessions: LostSessions;

  constructor(options: ReconnectOptions, parts: RestarterParts) {
    this.#parts = parts;
    this.#options = options;
    this.#maxDelayMs = options.maxDelayMs ?? 10_000;
    this.sessions = new LostSessions(parts);
  }

  /** What sends the calls again that were lost. */
  lostCalls(whenReturned: WhenReturned): LostCalls {
    return new LostCalls(whenReturned);
  }

  /** When the next attempt begins, as `Date.now()` counts. `null` if none is waited for. */
  get nextAttemptAt(): number | null {
    return this.#next.is === 'waiting' ? this.#next.at : null;
  }

  /** How the sessions of the agent that was reached last are opened again. */
  get rejoin(): RejoinOptions {
    const { history = this.#parts.isRemote() ? 'prefer' : 'skip', firstDelayMs = 250 } = this.#options;
    const { history: historyOfPrompts = 'prefer' } = this.#options;
    const delays = { firstDelayMs, maxDelayMs: this.#maxDelayMs };
    return { history, historyOfPrompts, waitMs: (retry) => backOffMs(retry, delays) };
  }

  /** Whether open prompts wait until their session is open again. */
  get holdsPrompts(): boolean {
    return this.#options.resendPrompts !== 'never';
  }

  /** What becomes of the open prompts of a session that is open again. */
  restored({ keys, link }: Caller): EventOf<'link_restored'> {
    const { resendPrompts = 'whenSafe' } = this.#options;
    const mayResend = resendPrompts === 'always' || (resendPrompts === 'whenSafe' && keys.isOf(link));
    return { type: 'link_restored', hasWorkedOn: this.#parts.isRemote(), mayResend };
  }

  /** The agent was well: its next end is a new fault, with all attempts. */
  reset(): void {
    this.#attempts = 0;
    this.#waits = 0;
    this.#lostAt = undefined;
  }

  /** Begins the next attempt at once. Does nothing if there is none to wait for. */
  retryNow(): void {
    this.#waits = 0;
    if (this.#next.is === 'waiting') this.#next.wake();
    else this.#next = { is: 'due' };
  }

  /**
   * Rejects when the agent is given up, or when `signal` was aborted.
   *
   * @param onNextAttempt - Called when {@link Restarter.nextAttemptAt} has changed.
   */
  async restart(signal: AbortSignal, onNextAttempt: (at: number | null) => void): Promise<Link> {
    // An agent that ran for a while counts as started.
    if (performance.now() - this.#startedAt > this.#maxDelayMs) this.reset();
    this.#lostAt ??= performance.now();
    const stopListening = onOnline(() => this.retryNow());
    try {
      return await this.#try(signal, onNextAttempt);
    } finally {
      stopListening();
    }
  }

  async #try(signal: AbortSignal, onNextAttempt: (at: number | null) => void): Promise<Link> {
    const { start, isRemote, report } = this.#parts;
    let error: unknown = signal.reason;
    while (!this.#isGivenUp()) {
      await this.#wait(signal, onNextAttempt);
      if (signal.aborted) break;
      if (!isRemote()) this.#attempts++;
      try {
        const link = await start(signal);
        this.#startedAt = performance.now();
        return link;
      } catch (failure) {
        error = failure;
        if (isRemote() && !isOffline(failure)) this.#attempts++;
        if (!signal.aborted) report(warning('connection.restart_failed', this.#describe(failure)));
      }
    }
    throw error;
  }

  #isGivenUp(): boolean {
    const { maxAttempts = 5, giveUpAfterMs = defaultGiveUpAfterMs } = this.#options;
    return this.#attempts >= maxAttempts || (this.#parts.isRemote() && this.#lostMs > giveUpAfterMs);
  }

  get #lostMs(): number {
    return performance.now() - (this.#lostAt ?? performance.now());
  }

  async #wait(signal: AbortSignal, onNextAttempt: (at: number | null) => void): Promise<void> {
    if (this.#next.is === 'later') {
      const waitMs = this.#waitMs();
      const control = new AbortController();
      const stopFollowing = abortWith(control, signal);
      const at = Date.now() + waitMs;
      this.#next = { is: 'waiting', at, wake: () => control.abort() };
      onNextAttempt(at);
      await delay(waitMs, control.signal);
      stopFollowing();
      this.#next = { is: 'later' };
      onNextAttempt(null);
    } else this.#next = { is: 'later' };
  }

  #waitMs(): number {
    const { firstDelayMs = 250 } = this.#options;
    const isSlow = this.#parts.isRemote() && this.#lostMs > slowAfterMs;
    const maxDelayMs = isSlow ? this.#maxDelayMs * slowFactor : this.#maxDelayMs;
    return withJitter(backOffMs(this.#waits++, { firstDelayMs, maxDelayMs }));
  }

  #describe(failure: unknown): string {
    const { maxAttempts = 5 } = this.#options;
    return this.#parts.isRemote()
      ? `The agent could not be reached again: ${errorMessage(failure)}`
      : `The agent could not be started again, in attempt ${this.#attempts} of ${maxAttempts}: ${errorMessage(failure)}`;
  }
}

/** The statuses of a server that may take the same request later. */
const laterStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Whether an attempt failed because the server was not there, and not because it refused the client. */
function isOffline(error: unknown): boolean {
  if (error instanceof HttpError) return laterStatuses.has(error.status);
  if (error instanceof ConnectionClosedError)
    return !(error.cause instanceof AcpError) || isOffline(error.cause);
  return error instanceof TimeoutError;
}

/**
 * Calls `listener` when a page or a worker is online again, and returns the function that stops that. Node has no such
 * event.
 */
export function onOnline(listener: () => void): () => void {
  // The types are those of Node, whose global object has no events.
  const page = globalThis as unknown as Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;
  if (!hasMethods(page, 'addEventListener', 'removeEventListener')) return () => {};
  page.addEventListener('online', listener);
  return () => page.removeEventListener('online', listener);
}

import { type DiagnosticListener, errorMessage } from '../diagnostic.ts';
import type { TransportEnd } from '../transport/transport.ts';
import type { Link } from './link.ts';

/** How a connection starts its agent again after it crashed. */
export interface ReconnectOptions {
  /**
   * How often it is tried before the connection counts as closed. An agent that starts and ends again within
   * `maxDelayMs` has used up an attempt. Default: 5.
   */
  readonly maxAttempts?: number;
  /** Milliseconds before the first attempt; each further one waits twice as long. Default: 250. */
  readonly firstDelayMs?: number;
  /** Milliseconds that no wait is longer than. Default: 10,000. */
  readonly maxDelayMs?: number;
}

const defaults = { maxAttempts: 5, firstDelayMs: 250, maxDelayMs: 10_000 };

/** Starts the agent again, with growing pauses, and gives it up when it does not stay. */
export class Restarter {
  readonly #start: (signal: AbortSignal) => Promise<Link>;
  readonly #options: Required<ReconnectOptions>;
  readonly #report: DiagnosticListener;
  #attempts = 0;
  #startedAt = performance.now();

  constructor(
    start: (signal: AbortSignal) => Promise<Link>,
    options: ReconnectOptions,
    report: DiagnosticListener,
  ) {
    this.#start = start;
    this.#report = report;
    const { maxAttempts, firstDelayMs, maxDelayMs } = options;
    this.#options = {
      maxAttempts: maxAttempts ?? defaults.maxAttempts,
      firstDelayMs: firstDelayMs ?? defaults.firstDelayMs,
      maxDelayMs: maxDelayMs ?? defaults.maxDelayMs,
    };
  }

  /** Gives nothing when every attempt failed or `signal` was aborted. */
  async restart(
    signal: AbortSignal,
  ): Promise<{ readonly link: Link } | { readonly link: undefined; readonly error: unknown }> {
    const { maxAttempts, firstDelayMs, maxDelayMs } = this.#options;
    // One that ran for a while counts as started: its end is a new misfortune, and not more of the last one.
    if (performance.now() - this.#startedAt > maxDelayMs) this.#attempts = 0;
    let error: unknown = signal.reason;
    while (this.#attempts < maxAttempts) {
      await pause(Math.min(firstDelayMs * 2 ** this.#attempts, maxDelayMs), signal);
      if (signal.aborted) break;
      this.#attempts++;
      try {
        const link = await this.#start(signal);
        this.#startedAt = performance.now();
        return { link };
      } catch (failure) {
        error = failure;
        if (!signal.aborted) this.#tell(failure);
      }
    }
    return { link: undefined, error };
  }

  #tell(failure: unknown): void {
    const said = errorMessage(failure);
    const message = `The agent could not be started again, in attempt ${this.#attempts} of ${this.#options.maxAttempts}: ${said}`;
    this.#report({ rule: 'connection.restart_failed', severity: 'warning', message });
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

/** One sentence on how a run of the agent ended, for the mark in the conversation. */
export function describeEnd({ error, exit }: TransportEnd): string {
  if (exit)
    return exit.signal === null
      ? `The agent exited with code ${exit.exitCode}.`
      : `The agent ended by ${exit.signal}.`;
  return error ? error.message : 'The agent closed the connection.';
}

import { IdleTimer, onAbort } from '../../base/wait.ts';
import type { ClientConnection } from '../../client/connection.ts';

/** Limit on the wait, in milliseconds. */
const maxSettleMs = 30_000;

/**
 * Waits until no update has come for a while. Some agents answer a load before the replay is complete, and all send the
 * commands of a session after they have opened it.
 */
export class Settling {
  readonly #settleMs: number;
  readonly #idle: IdleTimer;
  readonly #settled: Promise<void>;
  #settle = () => {};

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#idle = new IdleTimer(settleMs, () => this.#settle());
  }

  /** An update came. */
  restart(): void {
    this.#idle.restart();
  }

  /** @throws the error of a connection that failed meanwhile, or the reason of `signal`. */
  async wait(connection: ClientConnection, signal: AbortSignal): Promise<void> {
    if (this.#settleMs === 0) return;
    const limit = setTimeout(this.#settle, Math.max(maxSettleMs, this.#settleMs));
    const stopListening = onAbort(signal, this.#settle);
    this.#idle.start();
    try {
      const end = await Promise.race([connection.closed, this.#settled]);
      signal.throwIfAborted();
      // An agent may exit when the replay is complete.
      if (end?.error && end.exit?.exitCode !== 0) throw end.error;
    } finally {
      clearTimeout(limit);
      stopListening();
      this.#idle.stop();
    }
  }
}

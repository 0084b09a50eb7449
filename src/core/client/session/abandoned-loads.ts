import { deferred, IdleTimer, withLimits } from '../../base/wait.ts';

/**
 * How long nothing must arrive for a session after a load of it was abandoned and not answered, before it is loaded
 * again. What the agent still replays would otherwise mix into the next replay.
 */
const quietAfterAbandonedMs = 1000;

/** How many abandoned loads are remembered. An agent may never answer them. */
export const maxAbandonedLoads = 100;

interface AbandonedLoad {
  /** Settles when the agent answers after all. */
  readonly late: Promise<unknown>;
  /** Runs while a call waits until the session is quiet. */
  quiet?: IdleTimer | undefined;
}

/** The loads that were abandoned and not answered, by session: the agent may still be replaying. */
export class AbandonedLoads {
  readonly #loads = new Map<string, AbandonedLoad>();

  /** Whether a load of the session was abandoned and not answered. */
  has(sessionId: string): boolean {
    return this.#loads.has(sessionId);
  }

  /** @param onAnswer - Called if the agent answers after all, and the session was not loaded again. */
  add(sessionId: string, late: Promise<unknown>, onAnswer: () => void): void {
    this.#loads.delete(sessionId);
    this.#loads.set(sessionId, { late });
    const [oldest] = this.#loads.keys();
    if (oldest !== undefined && this.#loads.size > maxAbandonedLoads) this.#loads.delete(oldest);
    const answered = () => {
      if (this.#loads.get(sessionId)?.late !== late) return;
      this.#loads.delete(sessionId);
      onAnswer();
    };
    late.then(answered, answered);
  }

  /** An update of the session arrived. */
  received(sessionId: string): void {
    // This runs for each update, and there is hardly ever such a load.
    if (this.#loads.size > 0) this.#loads.get(sessionId)?.quiet?.restart();
  }

  /** Waits until the agent has answered the load, or has stopped to replay. */
  async untilQuiet(sessionId: string, signal: AbortSignal | undefined): Promise<void> {
    const load = this.#loads.get(sessionId);
    if (!load) return;
    const { late } = load;
    const quiet = deferred();
    const timer = new IdleTimer(quietAfterAbandonedMs, quiet.resolve);
    load.quiet = timer;
    timer.start();
    try {
      await withLimits(Promise.race([quiet.promise, late.catch(() => {})]), { signal });
      this.#loads.delete(sessionId);
    } finally {
      timer.stop();
      load.quiet = undefined;
    }
  }
}

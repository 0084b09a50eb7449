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
  quiet?: IdleTimer;
}

/**
 * The loads that were abandoned and not answered, by session: the agent may still be replaying.
 *
 * @param onAnswer - Called if the agent answers after all, and the session was not loaded again.
 */
export function abandonedLoads(onAnswer: (sessionId: string) => void) {
  const loads = new Map<string, AbandonedLoad>();
  return {
    /** Whether a load of the session was abandoned and not answered. */
    has: (sessionId: string): boolean => loads.has(sessionId),

    /** @param late - The answer, which may never come. */
    add(sessionId: string, late: Promise<unknown>): void {
      loads.delete(sessionId);
      loads.set(sessionId, { late });
      const [oldest] = loads.keys();
      if (oldest !== undefined && loads.size > maxAbandonedLoads) loads.delete(oldest);
      const answered = () => {
        if (loads.get(sessionId)?.late !== late) return;
        loads.delete(sessionId);
        onAnswer(sessionId);
      };
      late.then(answered, answered);
    },

    /** An update of the session arrived. */
    received(sessionId: string): void {
      // This runs for each update, and there is hardly ever such a load.
      if (loads.size > 0) loads.get(sessionId)?.quiet?.restart();
    },

    /** Waits until the agent has answered the load, or has stopped to replay. */
    async untilQuiet(sessionId: string, signal: AbortSignal | undefined): Promise<void> {
      const load = loads.get(sessionId);
      if (!load) return;
      const { late } = load;
      const quiet = deferred();
      load.quiet = new IdleTimer(quietAfterAbandonedMs, quiet.resolve);
      load.quiet.start();
      try {
        await withLimits(Promise.race([quiet.promise, late.catch(() => {})]), { signal });
        loads.delete(sessionId);
      } finally {
        load.quiet.stop();
      }
    },
  };
}

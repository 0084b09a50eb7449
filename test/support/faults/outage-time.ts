import { vi } from 'vitest';
import type { Between } from './faults.ts';

/** How much time passes in a turn of the event loop while the network is away, in milliseconds. */
const stepMs = 10;

/**
 * Lets the simulated time of an outage pass, and mends the network at its end. After that, time passes as it does, but
 * for the waits before the next attempt.
 *
 * @param nextAttemptAt - When the client tries again, if it waits for that.
 */
export async function sitOut(
  between: Between,
  nextAttemptAt: () => number | null,
  over: AbortSignal,
): Promise<void> {
  const { outageSeconds } = between.given;
  if (outageSeconds === undefined) return;
  let endsAt = Number.POSITIVE_INFINITY;
  while (!over.aborted) {
    if (between.isAway) endsAt = Math.min(endsAt, Date.now() + outageSeconds * 1000);
    const waitMs = Math.min(nextAttemptAt() ?? 0, endsAt) - Date.now();
    if (waitMs > 0) await vi.advanceTimersByTimeAsync(waitMs);
    else if (between.isAway) await vi.advanceTimersByTimeAsync(stepMs);
    await new Promise(setImmediate);
    if (Date.now() >= endsAt) {
      between.isAway = false;
      endsAt = Number.POSITIVE_INFINITY;
    }
  }
}

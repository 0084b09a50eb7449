import { vi } from 'vitest';
import type { Network } from './network.ts';

/** How much time passes in a turn of the event loop while the network is away, in milliseconds. */
const stepMs = 10;

/**
 * Lets the simulated time of an outage pass, and mends the network at its end. After that, time passes as it does, but
 * for the waits before the next attempt.
 *
 * @param nextAttemptAt - When the client tries again, if it waits for that.
 */
export async function sitOut(
  network: Network,
  nextAttemptAt: () => number | null,
  over: AbortSignal,
): Promise<void> {
  const { outageSeconds } = network;
  if (outageSeconds === undefined) return;
  let endsAt: number | undefined;
  while (!over.aborted) {
    if (network.isAway) endsAt ??= Date.now() + outageSeconds * 1000;
    const waitMs = Math.min(nextAttemptAt() ?? 0, endsAt ?? Number.POSITIVE_INFINITY) - Date.now();
    if (waitMs > 0) await vi.advanceTimersByTimeAsync(waitMs);
    else if (network.isAway) await vi.advanceTimersByTimeAsync(stepMs);
    await new Promise(setImmediate);
    if (network.isAway && endsAt !== undefined && Date.now() >= endsAt) {
      network.mend();
      endsAt = Number.POSITIVE_INFINITY;
    }
  }
}

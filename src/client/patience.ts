import { TimeoutError } from '../errors.ts';
import type { Transport } from '../transport/transport.ts';
import { maxTimerMs, onAbort } from '../wait.ts';

/** How long an agent may take to answer `initialize`. */
export interface Patience {
  /** Milliseconds since its last sign of life. */
  readonly silenceMs: number;
  /** Milliseconds in all, however lively it is. */
  readonly limitMs: number;
}

/**
 * Waits for the agent to introduce itself: `signal` is aborted with a {@link TimeoutError} when it has shown no sign
 * of life for too long, or has taken too long in all, and together with `leaving`. A sign of life is whatever the
 * transport can see of it: a package that is fetched and installed first writes to stderr long before it writes a
 * message.
 */
export function startWaiting(
  { silenceMs, limitMs }: Patience,
  transport: Transport,
  leaving?: AbortSignal,
): { readonly signal: AbortSignal; stop(): void } {
  const control = new AbortController();
  const leave = () => control.abort(leaving?.reason);
  const startedAt = performance.now();
  let heardAt = startedAt;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const check = () => {
    const now = performance.now();
    const leftMs = Math.min(heardAt + silenceMs, startedAt + limitMs) - now;
    // The timer is set once for a stretch of silence, and not once for each sign of life.
    if (leftMs > 0) timer = setTimeout(check, Math.min(Math.ceil(leftMs), maxTimerMs));
    else
      control.abort(now - heardAt >= silenceMs ? silent(silenceMs, heardAt > startedAt) : endless(limitMs));
  };
  check();
  const stopListening = onAbort(leaving, leave);
  if (leaving?.aborted) leave();
  transport.onActivity = () => {
    heardAt = performance.now();
  };
  return {
    signal: control.signal,
    stop() {
      clearTimeout(timer);
      stopListening();
      transport.onActivity = undefined;
    },
  };
}

function silent(timeoutMs: number, showedLife: boolean): TimeoutError {
  const since = showedLife ? 'of its last sign of life' : 'of its start, and showed no sign of life';
  return new TimeoutError(
    `The agent did not answer initialize within ${timeoutMs} ms ${since}. It was ended. If it needs longer to start, raise initializeTimeoutMs.`,
    { method: 'initialize', timeoutMs },
  );
}

function endless(timeoutMs: number): TimeoutError {
  return new TimeoutError(
    `The agent did not answer initialize within ${timeoutMs} ms, although it showed signs of life. It was ended. If it needs longer to start, raise initializeLimitMs.`,
    { method: 'initialize', timeoutMs },
  );
}

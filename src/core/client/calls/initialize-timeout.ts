import { TimeoutError } from '../../base/errors.ts';
import { abortWith, maxTimerMs } from '../../base/wait.ts';

/** How long an agent may take to answer `initialize`. */
export interface InitializeTimeout {
  /** Milliseconds since the agent last wrote anything, to stderr as well. */
  readonly idleMs: number;
  /** Milliseconds in all. */
  readonly totalMs: number;
}

/**
 * Waits for the answer to `initialize`: `signal` is aborted with a {@link TimeoutError} when the agent has written
 * nothing for too long, or has taken too long in all, and together with `caller`. A package manager that installs the
 * agent writes to stderr long before the agent writes a message.
 */
export function watchInitialize({ idleMs, totalMs }: InitializeTimeout, caller: AbortSignal | undefined) {
  const control = new AbortController();
  // The type of the global name: declarations cannot name the inferred one.
  const signal: AbortSignal = control.signal;
  const startedAt = performance.now();
  let activeAt = startedAt;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = () => {
    const now = performance.now();
    const leftMs = Math.min(activeAt + idleMs, startedAt + totalMs) - now;
    // One timer for a stretch of silence, and not one for each activity.
    if (leftMs > 0) timer = setTimeout(check, Math.min(Math.ceil(leftMs), maxTimerMs));
    else if (now - activeAt < idleMs) {
      control.abort(
        timeoutError(totalMs, ', although it wrote something meanwhile', 'initializeTotalTimeoutMs'),
      );
    } else {
      const since =
        activeAt > startedAt ? ' after it last wrote something' : ' after its start, and wrote nothing';
      control.abort(timeoutError(idleMs, since, 'initializeIdleTimeoutMs'));
    }
  };
  check();
  const stopListening = abortWith(control, caller);
  return {
    signal,
    /** The agent wrote something. */
    onActivity() {
      activeAt = performance.now();
    },
    /** Ends the wait with an error. */
    fail: (error: unknown) => control.abort(error),
    stop() {
      clearTimeout(timer);
      stopListening();
    },
  };
}

function timeoutError(timeoutMs: number, since: string, option: string): TimeoutError {
  const message = `The agent did not answer initialize within ${timeoutMs} ms${since}. It was ended. If it needs longer to start, raise ${option}.`;
  return new TimeoutError(message, { method: 'initialize', timeoutMs });
}

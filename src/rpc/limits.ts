import { TimeoutError } from '../errors.ts';
import { onAbort } from '../wait.ts';

/** How long a caller waits. */
export interface Limits {
  /** Aborting tells the agent of a request, and rejects at once with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until it is given up. Default: none. */
  readonly timeoutMs?: number | undefined;
}

/** Waits for something to be written, no longer than the caller wants to. Leaves no timer and no listener. */
export function withinLimits(
  method: string,
  written: Promise<void>,
  { signal, timeoutMs }: Limits,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = (how: () => void) => {
      clearTimeout(timer);
      stopListening();
      how();
    };
    const stopListening = onAbort(signal, () => settle(() => reject(signal?.reason)));
    if (timeoutMs !== undefined) {
      const message = `The agent did not take ${method} within ${timeoutMs} ms: it does not read its input. Close the connection if it stays so.`;
      timer = setTimeout(
        () => settle(() => reject(new TimeoutError(message, { method, timeoutMs }))),
        timeoutMs,
      );
    }
    written.then(
      () => settle(resolve),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

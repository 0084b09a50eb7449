import { expect } from 'vitest';

/** `expect.poll` with a limit that is only for a hang: programs may take seconds to start on a busy machine. */
export const eventually: typeof expect.poll = (read, options) =>
  expect.poll(read, { timeout: 60_000, ...options });

/** The timers of the system, also in a test that simulates time. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** Resolves with the state of a store when it is as the test waits for. The limit is only for a hang. */
export function until<T>(
  { getSnapshot, subscribe }: { readonly getSnapshot: () => T; subscribe(listener: () => void): () => void },
  isThere: (state: T) => boolean,
  timeoutMs = 60_000,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const state = getSnapshot();
      if (!isThere(state)) return;
      stopTimer(timer);
      unsubscribe();
      resolve(state);
    };
    const timer = startTimer(() => {
      unsubscribe();
      reject(new Error(`The state did not become what the test waits for: ${JSON.stringify(getSnapshot())}`));
    }, timeoutMs);
    const unsubscribe = subscribe(look);
    look();
  });
}

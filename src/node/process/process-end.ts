import { onExit } from 'signal-exit';

/** Signals that end a process unless it listens to them. SIGKILL ends a process without running any code. */
const terminationSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `end` when this process exits, and when a signal is about to end it. A signal that the application listens to
 * does not end the process.
 *
 * @param end - Runs synchronously, and can run twice.
 * @returns A function that cancels this.
 */
export function onProcessEnd(end: () => void): () => void {
  const before = new Map(terminationSignals.map((signal) => [signal, process.listeners(signal)]));
  const removeHandler = onExit(end);
  // signal-exit counts listeners, so one that was added with `once` and has run is not counted. Its own listeners
  // must therefore run first.
  for (const [signal, earlier] of before) {
    for (const listener of process.listeners(signal)) {
      if (!earlier.includes(listener)) process.off(signal, listener).prependListener(signal, listener);
    }
  }
  // A second copy of signal-exit, loaded by another package, can remove its hook for exits.
  process.on('exit', end);
  return () => {
    removeHandler();
    process.off('exit', end);
  };
}

import { onExit } from 'signal-exit';
import { groups } from './process-group.ts';
import type { Program } from './process-table.ts';
import { spareDaemons } from './watchdog.ts';

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

/** Each returns a program that runs. */
const live = new Set<() => Program>();
let stopListening = () => {};

/**
 * Kills a program and what it started when this process exits, and when a signal is about to end it. A signal that the
 * application listens to does not end the process: then nothing is killed until the application exits.
 *
 * @param program - Called when it is killed.
 * @returns A function that cancels this. Without programs, no listener stays on `process`.
 */
export function killOnExit(program: () => Program): () => void {
  if (live.size === 0) stopListening = onProcessEnd(killAll);
  live.add(program);
  return () => {
    if (live.delete(program) && live.size === 0) stopListening();
  };
}

function killAll(): void {
  if (live.size > 0) {
    groups.killNow([...live].map((program) => program()));
    spareDaemons();
  }
  live.clear();
}

import { onProcessEnd } from './process-end.ts';
import { groups } from './process-group.ts';
import type { Program } from './process-table.ts';
import { spareDaemons } from './watchdog.ts';

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

import type { PanelHit } from '../../panel/state.ts';
import { useSyncExternalStore } from 'react';

/** What the user has found in the session that was opened for it. */
export interface FoundWords {
  readonly sessionId: string;
  /** The entry that the user has chosen. */
  readonly entryKey: string;
  /** All places in this session, one for each entry. */
  readonly hits: readonly PanelHit[];
}

let found: FoundWords | null = null;
const listeners = new Set<() => void>();

/** Shows the words in the transcript. `null`: no words. */
export function showFound(next: FoundWords | null): void {
  found = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function useFound(): FoundWords | null {
  return useSyncExternalStore(subscribe, () => found);
}

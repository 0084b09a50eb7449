import { useLayoutEffect, useState } from 'preact/hooks';
import type { PanelHit } from '../../panel/state.ts';
import { useSurface } from '../surface.ts';

/** What the user has found in the session that was opened for it. */
export interface FoundWords {
  readonly sessionId: string;
  /** The entry that the user has chosen. */
  readonly entryKey: string;
  /** All places in this session, one for each entry. */
  readonly hits: readonly PanelHit[];
}

/** What each element shows, and who draws it. */
const found = new WeakMap<HTMLElement, FoundWords>();
const changes = new EventTarget();

/** Shows the words in the transcript of an element. `null`: no words. */
export function showFound(element: HTMLElement, next: FoundWords | null): void {
  if (next) found.set(element, next);
  else found.delete(element);
  changes.dispatchEvent(new Event('change'));
}

export function useFound(): FoundWords | null {
  const { element } = useSurface();
  const [shown, show] = useState(found.get(element) ?? null);
  useLayoutEffect(() => {
    const read = () => show(found.get(element) ?? null);
    changes.addEventListener('change', read);
    return () => changes.removeEventListener('change', read);
  }, [element]);
  return shown;
}

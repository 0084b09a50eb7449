import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { PageState } from './page-state.ts';

/** Draws a component again after each change of something with `subscribe`. */
export function useChanges(source: { subscribe(listener: () => void): () => void } | undefined): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  // As soon as it is drawn: a change before the next frame is not lost.
  useLayoutEffect(() => source?.subscribe(() => draw(undefined as never)), [source]);
}

/** Copies a text to the clipboard. */
export async function copy(state: PageState, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    state.say('Copied.');
  } catch {
    state.say('The browser did not allow to copy.');
  }
}

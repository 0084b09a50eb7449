import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { PageState } from './page-state.ts';

/** Draws a component again after each change of something with `subscribe`. */
export function useChanges(source: { subscribe(listener: () => void): () => void } | undefined): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  // As soon as it is drawn: a change before the next frame is not lost.
  useLayoutEffect(() => source?.subscribe(() => draw(undefined as never)), [source]);
}

/** Measures an element when it is there, and after each change of its size. `measure` reads the element alone. */
export function useSize(box: { readonly current: Element | null }, measure: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first one measures the same
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
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

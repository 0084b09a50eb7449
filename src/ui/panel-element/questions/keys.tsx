import { useLayoutEffect } from 'preact/hooks';
import { useSurface } from '../surface.ts';

/** How many answers have a number as their key. */
const maxNumbered = 9;

/** The number that gives an answer, on its button. The button's name for a screen reader is without it. */
export function KeyHint({ index }: { readonly index: number }) {
  if (index >= maxNumbered) return null;
  return (
    <span className="key" aria-hidden="true">
      {index + 1}
    </span>
  );
}

interface Keys {
  /** A number from 1 to 9 was pressed. Returns whether it is the number of an answer. */
  readonly onNumber: (index: number) => boolean;
  /** Returns whether there was something to refuse or to cancel. */
  readonly onEscape: () => boolean;
}

/**
 * The keys of the panel, wherever the focus is in it. Where the panel is the whole page, they work without a focus, too. A
 * part that takes a key itself, such as the list of commands, calls `preventDefault`. A number is text where the user
 * writes: only in an empty prompt it is an answer.
 */
export function usePanelKeys({ onNumber, onEscape }: Keys): void {
  const { element, isPage } = useSurface();
  // Before the browser draws: a user can answer a question as soon as they see it.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, defaultPrevented, repeat, isComposing, ctrlKey, metaKey, altKey } = event;
      if (defaultPrevented || repeat || isComposing || ctrlKey || metaKey || altKey) return;
      const isNumber = /^[1-9]$/.test(key) && !isWriting(event.composedPath()[0]);
      if (!isNumber && key !== 'Escape') return;
      // A dialog has its own keys.
      if (element.shadowRoot?.querySelector('dialog[open]')) return;
      if (isNumber ? onNumber(Number(key) - 1) : onEscape()) event.preventDefault();
    };
    const place = isPage ? window : element;
    // Both have the event. TypeScript knows no call of a method of two types.
    const listener = onKeyDown as EventListener;
    place.addEventListener('keydown', listener);
    return () => place.removeEventListener('keydown', listener);
  });
}

function isWriting(target: EventTarget | undefined): boolean {
  if (target instanceof HTMLTextAreaElement) return target.value !== '';
  return target instanceof HTMLElement && target.matches('input, select, [contenteditable]');
}

import { useEffect } from 'react';

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
 * The keys of the whole page. A part that takes a key itself, such as the list of commands, calls `preventDefault`. A
 * number is text where the user writes: only in an empty prompt it is an answer.
 */
export function usePageKeys({ onNumber, onEscape }: Keys): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, defaultPrevented, repeat, isComposing, ctrlKey, metaKey, altKey } = event;
      if (defaultPrevented || repeat || isComposing || ctrlKey || metaKey || altKey) return;
      // A dialog has its own keys.
      if (document.querySelector('dialog[open]')) return;
      const isNumber = /^[1-9]$/.test(key) && !isWriting(event.target);
      const isTaken = isNumber ? onNumber(Number(key) - 1) : key === 'Escape' && onEscape();
      if (isTaken) event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  });
}

function isWriting(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return target.value !== '';
  return target instanceof HTMLElement && target.matches('input, select, [contenteditable]');
}

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageState } from './page-state.ts';
import { type SaveFormat, saveFormats } from './save-formats.ts';

/** Saves what the page shows. */
export function SaveMenu({ state }: { readonly state: PageState }) {
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const shown = saveFormats.filter(({ needsMessages }) => !needsMessages || !state.timeline.saved);
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  useLayoutEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const close = ({ target }: MouseEvent) => {
      if (target instanceof Node && !box.current?.contains(target)) setIsOpen(false);
    };
    document.addEventListener('click', close);
    return () => document.removeEventListener('click', close);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    const list = items();
    const at = list.indexOf(document.activeElement as HTMLElement);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % list.length,
      ArrowUp: (at - 1 + list.length) % list.length,
      Home: 0,
      End: list.length - 1,
    };
    const move = moves[event.key];
    if (move !== undefined) list[move]?.focus();
    else if (event.key === 'Escape') {
      setIsOpen(false);
      button.current?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" ref={box}>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        Save ▾
      </button>
      {isOpen && (
        <div role="menu" aria-label="Save as" onKeyDown={onKeyDown}>
          {shown.map((format) => (
            <button
              key={format.name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                setIsOpen(false);
                save(state, format);
                button.current?.focus();
              }}
            >
              <b>{format.name}</b>
              <small>{format.description}</small>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function save(state: PageState, { file, type, text }: SaveFormat): void {
  const url = URL.createObjectURL(new Blob([text(state)], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  state.say(`Saved as ${file}.`);
}

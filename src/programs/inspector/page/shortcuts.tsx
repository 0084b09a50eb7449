import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './controls.tsx';
import { type PageState, type Tab, tabs } from './page-state.ts';

const shortcuts: readonly (readonly [keys: string, does: string])[] = [
  ['?', 'this list'],
  ['/', 'search in the messages'],
  ['1 … 7', 'wire, turns, capabilities, diagnostics, process, agent, compare'],
  ['t', 'to the transcript'],
  ['w', 'to the messages'],
  ['p', 'to the prompt'],
  ['s', 'to the slider through time'],
  ['[ and ]', 'one message back, and one forward in time'],
  ['Home and End', 'on the slider: the first and the last message'],
  ['Space', 'play, and pause'],
  ['g', 'the conversation after the chosen message'],
  ['j', 'from a request to its answer, and back'],
  ['l', 'to the newest message, and follow'],
  [
    'Enter',
    'on an entry: its messages. On a message: its pair. On the pieces of a text: one line, or a line each',
  ],
  ['Esc', 'close the message, the menu or this list'],
];

export function Shortcuts({ state }: { readonly state: PageState }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = state.choices.dialog === 'shortcuts';
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-labelledby="shortcuts-title" onClose={() => state.choose({ dialog: null })}>
      <h2 id="shortcuts-title">Keys</h2>
      <dl>
        {shortcuts.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <Button type="submit" text="Close" />
      </form>
    </dialog>
  );
}

/** Handles the keys of the whole page. */
export function onPageKey(state: PageState, event: KeyboardEvent, shownTabs: readonly Tab[]): void {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (event.key === 'Escape' && state.choices.message !== null) {
    state.choose({ message: null, entry: null });
    return;
  }
  const { target } = event;
  const isTyping =
    target instanceof HTMLElement && target.matches('input:not([type=range]), textarea, select');
  if (isTyping) {
    if (event.key === 'Escape') target.blur();
    return;
  }
  const { message } = state.choices;
  const pair = message === null ? null : state.timeline.rows[message]?.pair;
  const actions: Readonly<Record<string, () => void>> = {
    '?': () => state.choose({ dialog: 'shortcuts' }),
    '/': () => focusIn(state, 'wire', '#search'),
    t: () => document.querySelector<HTMLElement>('.transcript [data-key][tabindex="0"]')?.focus(),
    w: () => focusIn(state, 'wire', '.wire .rows'),
    p: () => document.querySelector<HTMLElement>('#prompt')?.focus(),
    s: () => document.querySelector<HTMLElement>('#time')?.focus(),
    '[': () => state.goTo(state.position - 1),
    ']': () => state.goTo(state.position + 1),
    ' ': () => (state.isPlaying ? state.pause() : state.play()),
    g: () => message !== null && state.goTo(message),
    j: () => pair != null && state.showMessage(pair),
    l: () => state.goLive(),
  };
  // On a button, Space presses it.
  if (event.key === ' ' && target instanceof HTMLElement && target.closest('button, summary, [tabindex]'))
    return;
  const tab = shownTabs.find((name) => String(tabs.indexOf(name) + 1) === event.key);
  const action = tab ? () => state.choose({ tab }) : actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

function focusIn(state: PageState, tab: Tab, selector: string): void {
  const focus = () => document.querySelector<HTMLElement>(selector)?.focus();
  // At once, so that it receives the key that follows.
  if (state.choices.tab === tab) return focus();
  state.choose({ tab });
  // After the tab was drawn.
  requestAnimationFrame(() => requestAnimationFrame(focus));
}

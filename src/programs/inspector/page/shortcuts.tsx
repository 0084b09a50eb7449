import { Button, Facts } from './controls.tsx';
import { type PageState, type Tab, tabNames } from './page-state.ts';

interface Shortcut {
  readonly key: string;
  readonly says: string;
  readonly run: (state: PageState) => void;
}

/** The keys of the whole page. */
const shortcuts: readonly Shortcut[] = [
  { key: '?', says: 'this list', run: () => showShortcuts() },
  { key: '/', says: 'search in the messages', run: (state) => focusIn(state, 'wire', '#search') },
  { key: 't', says: 'to the transcript', run: () => focus('.entries [tabindex="0"]') },
  { key: 'w', says: 'to the messages', run: (state) => focusIn(state, 'wire', '.rows') },
  { key: 'p', says: 'to the prompt', run: () => focus('#prompt') },
  { key: 's', says: 'to the slider through time', run: () => focus('#time') },
  { key: '[', says: 'one message back in time', run: (state) => state.goTo(state.position - 1) },
  { key: ']', says: 'one message forward in time', run: (state) => state.goTo(state.position + 1) },
  { key: ' ', says: 'play, and pause', run: (state) => (state.isPlaying ? state.pause() : state.play()) },
  {
    key: 'g',
    says: 'the conversation after the chosen message',
    run: (state) => state.choices.message !== null && state.goTo(state.choices.message),
  },
  { key: 'l', says: 'to the newest message, and follow', run: (state) => state.goLive() },
];

/** The keys that a part of the page has. */
const otherKeys = [
  ['1 … 5', Object.values(tabNames).join(', ')],
  ['Enter', 'on an entry: its messages. On a message: its request or its answer'],
  ['1 … 9, Esc', 'in a question: its answers, and none'],
  ['Esc', 'close the message or this list'],
] as const;

const dialogId = 'shortcuts';

/** Opens the list of the keys. */
export function showShortcuts(): void {
  const dialog = document.getElementById(dialogId);
  if (dialog instanceof HTMLDialogElement) dialog.showModal();
}

export function Shortcuts() {
  const own = shortcuts.map(({ key, says }) => [key === ' ' ? 'Space' : key, says] as const);
  return (
    <dialog id={dialogId} aria-labelledby="shortcuts-title">
      <h2 id="shortcuts-title">Keys</h2>
      <Facts facts={[...own, ...otherKeys]} />
      <form method="dialog">
        <Button type="submit" text="Close" />
      </form>
    </dialog>
  );
}

/** Handles the keys of the whole page. */
export function onPageKey(state: PageState, event: KeyboardEvent, shownTabs: readonly Tab[]): void {
  const { key, target } = event;
  // A question takes its keys itself.
  if (event.defaultPrevented) return;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (key === 'Escape' && state.choices.message !== null) {
    state.choose({ message: null, entry: null });
    return;
  }
  if (!(target instanceof HTMLElement)) return;
  if (target.matches('input:not([type=range]), textarea, select')) {
    if (key === 'Escape') target.blur();
    return;
  }
  // On a button, Space presses it.
  if (key === ' ' && target.closest('button, summary, [tabindex]')) return;
  const tab = shownTabs.find((name) => String(Object.keys(tabNames).indexOf(name) + 1) === key);
  const shortcut = shortcuts.find((each) => each.key === key);
  if (!tab && !shortcut) return;
  event.preventDefault();
  if (tab) state.choose({ tab });
  else shortcut?.run(state);
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

function focusIn(state: PageState, tab: Tab, selector: string): void {
  // At once, so that it receives the key that follows.
  if (state.choices.tab === tab) return focus(selector);
  state.choose({ tab });
  // After the tab was drawn.
  requestAnimationFrame(() => requestAnimationFrame(() => focus(selector)));
}

import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './controls.tsx';
import { usePressed } from './hooks.ts';
import { keyTarget } from './list-keys.ts';

/** What an entry shows. */
interface ShownEntry {
  readonly class: string;
  /** How many messages made it, to read. */
  readonly count: string;
  readonly html: string;
}

interface EntryListProps {
  readonly keys: readonly string[];
  /** Place of the entry to show. -1: none. */
  readonly target: number;
  /** Changes when the target must be scrolled to. */
  readonly targetId: string;
  /** Whether the list stays at its end while it grows. */
  readonly follows: boolean;
  readonly entry: (key: string, place: number) => ShownEntry;
  readonly onOpen: (key: string) => void;
}

/** This many entries are in the document. */
const maxDrawn = 400;

/** The list is at its end if less than this is below, in pixels. */
const endPx = 40;

/** The entries of the transcript. The browser lays out those near the view alone. */
export function EntryList({ keys, target, targetId, follows, entry, onOpen }: EntryListProps) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const isPressed = usePressed(box);
  const [focused, setFocused] = useState(0);
  const articles = () => [...(box.current?.querySelectorAll<HTMLElement>(':scope > article') ?? [])];
  /** What was drawn last: an entry that has not changed is not compared again. */
  const drawn = useRef(
    new Map<string, { readonly id: string; readonly html: string; readonly node: VNode }>(),
  );
  useLayoutEffect(() => {
    const element = box.current;
    if (element && follows && isAtEnd.current && !isPressed.current) {
      element.scrollTop = element.scrollHeight;
    }
  });
  const shown = useRef({ first: 0, targetId: '' });
  const [, draw] = useState({});
  const isOut = target >= 0 && (target < shown.current.first || target >= shown.current.first + maxDrawn);
  const isMoved = isOut && targetId !== shown.current.targetId;
  const wanted = isMoved ? target - maxDrawn / 2 : shown.current.first;
  /** Place of the first entry that is drawn. */
  const first = Math.max(0, Math.min(follows ? Number.POSITIVE_INFINITY : wanted, keys.length - maxDrawn));
  shown.current = { first, targetId };
  const show = (place: number) => {
    shown.current = { first: place, targetId };
    draw({});
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another choice scrolls
  useLayoutEffect(() => {
    articles()[target - first]?.scrollIntoView({ block: 'nearest' });
  }, [targetId]);
  const onKeyDown = (event: KeyboardEvent) => {
    const all = articles();
    // The node is one of the page.
    const at = all.indexOf(event.target as HTMLElement);
    if (at === -1) return;
    const next = all[keyTarget(event, at, all.length, 1) ?? -1];
    if (event.key === 'Enter') onOpen(keys[first + at] ?? '');
    else if (next) next.focus();
    else return;
    event.preventDefault();
  };
  const last = Math.min(first + maxDrawn, keys.length) - 1;
  const focus = Math.max(first, Math.min(focused, last));
  const drawEntry = (key: string, place: number): VNode => {
    const { class: name, count, html } = entry(key, place);
    const id = `${place} ${place === focus} ${name} ${count}`;
    const before = drawn.current.get(key);
    if (before?.id === id && before.html === html) return before.node;
    const node = (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
      <article
        key={key}
        class={`entry ${name}`}
        tabIndex={place === focus ? 0 : -1}
        onFocus={() => setFocused(place)}
        onClick={() => {
          // A click that ends the selection of text is not meant for the entry.
          if (document.getSelection()?.isCollapsed !== false) onOpen(key);
        }}
      >
        <span class="facts count">{count}</span>
        {/* The library escapes everything in it, and the content security policy allows nothing active. */}
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: see above */}
        <div dangerouslySetInnerHTML={{ __html: html }} />
      </article>
    );
    drawn.current.set(key, { id, html, node });
    return node;
  };
  return (
    // biome-ignore lint/a11y: with entries it is a feed, and without them nothing to use
    <div
      ref={box}
      class="entries"
      // An empty feed is not a feed.
      role={keys.length > 0 ? 'feed' : undefined}
      aria-label={keys.length > 0 ? 'Entries of the transcript' : undefined}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - endPx;
      }}
    >
      {first > 0 && (
        <Button
          class="link none"
          text={`${first} entries before`}
          onClick={() => show(first - maxDrawn / 2)}
        />
      )}
      {keys.slice(first, last + 1).map((key, place) => drawEntry(key, first + place))}
      {last + 1 < keys.length && (
        <Button
          class="link none"
          text={`${keys.length - last - 1} entries after`}
          onClick={() => show(first + maxDrawn / 2)}
        />
      )}
    </div>
  );
}

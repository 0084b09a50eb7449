import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { countWhile } from './count-while.ts';
import { usePressed, useView } from './hooks.ts';

/** The height of an entry that was not drawn yet, in pixels. */
const guessedHeight = 90;
const overscanPx = 600;

/** The list is drawn again when so much was scrolled, in pixels. */
const drawnEveryPx = 200;

interface EntryListProps {
  readonly keys: readonly string[];
  /** Place of the entry to show. -1: none. */
  readonly target: number;
  /** Changes when the target must be scrolled to. */
  readonly targetId: string;
  /** Whether the list stays at its end while it grows. */
  readonly follows: boolean;
  readonly entry: (place: number) => { readonly class: string; readonly children: ComponentChildren };
  readonly onOpen: (place: number) => void;
}

/** A list of entries of different heights, of which only those near the view are in the document. */
export function EntryList(props: EntryListProps) {
  const { keys, target, targetId, follows, entry, onOpen } = props;
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const [, draw] = useState(0);
  const { view, isAtEnd, measure } = useView(box, drawnEveryPx);
  const isPressed = usePressed(box);
  const [focused, setFocused] = useState(0);

  const places = useMemo(() => new Places(keys, heights.current), [keys]);
  const { offsets } = places;
  const total = offsets[keys.length] ?? 0;
  const start = list.current?.offsetTop ?? 0;
  // The real heights, after each drawing.
  useLayoutEffect(() => {
    for (const element of list.current?.children ?? []) {
      if (!(element instanceof HTMLElement)) continue;
      const { key = '' } = element.dataset;
      const height = element.offsetHeight;
      if (key === '' || heights.current.get(key) === height) continue;
      heights.current.set(key, height);
      places.setHeight(Number(element.ariaPosInSet) - 1, height);
    }
    const isChanged = places.update();
    if (isChanged) draw((count) => count + 1);
    else if (follows && isAtEnd.current && !isPressed.current && box.current) {
      box.current.scrollTop = box.current.scrollHeight;
    }
  });
  const pending = useRef('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another choice scrolls
  useEffect(() => {
    pending.current = target < 0 ? '' : targetId;
  }, [targetId]);
  useEffect(() => {
    const element = box.current;
    if (!element || pending.current === '' || target < 0) return;
    const top = start + (offsets[target] ?? 0);
    const height = (offsets[target + 1] ?? 0) - (offsets[target] ?? 0);
    const isMeasured = heights.current.has(keys[target] ?? '');
    if (top < element.scrollTop || top + Math.min(height, 120) > element.scrollTop + element.clientHeight) {
      element.scrollTop = Math.max(0, top - 40);
    }
    isAtEnd.current = false;
    if (isMeasured) pending.current = '';
  });

  const from = placeAt(offsets, view.top - start - overscanPx);
  const to = Math.min(
    keys.length,
    placeAt(offsets, view.top - start + view.height + drawnEveryPx + overscanPx) + 1,
  );
  const focus = Math.min(focused, keys.length - 1);
  const moveTo = (place: number) => {
    const next = Math.max(0, Math.min(keys.length - 1, place));
    setFocused(next);
    const element = box.current;
    if (element) {
      const top = start + (offsets[next] ?? 0);
      if (top < element.scrollTop || top > element.scrollTop + element.clientHeight - 60) {
        element.scrollTop = Math.max(0, top - 40);
      }
    }
    const selector = `:scope > [data-key="${CSS.escape(keys[next] ?? '')}"]`;
    const focusNext = () =>
      list.current?.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true });
    requestAnimationFrame(() => requestAnimationFrame(focusNext));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset['key'] === undefined) return;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: focus + 1,
      ArrowUp: focus - 1,
      Home: 0,
      End: keys.length - 1,
    };
    const move = moves[event.key];
    if (move === undefined && event.key !== 'Enter') return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (move === undefined) onOpen(focus);
    else moveTo(move);
  };
  const drawEntry = (place: number, top: number, isFocused: boolean): VNode => {
    const { class: name, children } = entry(place);
    const key = keys[place] ?? '';
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
      <article
        key={key}
        data-key={key}
        class={`entry ${name}`}
        tabIndex={isFocused ? 0 : -1}
        aria-posinset={place + 1}
        aria-setsize={keys.length}
        style={{ top: `${top}px` }}
        onFocus={() => setFocused(place)}
        onClick={() => {
          // A click that ends the selection of text is not meant for the entry.
          if (document.getSelection()?.isCollapsed !== false) onOpen(place);
        }}
      >
        {children}
      </article>
    );
  };
  // Scrolling alone gives the list the same properties: entries that stay are not compared again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const known = useMemo(() => new Map<string, VNode>(), [props]);
  const drawn: VNode[] = [];
  // The focused entry stays in the document, so that the focus is not lost.
  const shown = new Set(focus >= 0 ? [focus] : []);
  for (let place = from; place < to; place++) shown.add(place);
  for (const place of [...shown].sort((a, b) => a - b)) {
    const top = offsets[place] ?? 0;
    const id = `${place} ${top} ${place === focus}`;
    const vnode = known.get(id) ?? drawEntry(place, top, place === focus);
    known.set(id, vnode);
    drawn.push(vnode);
  }
  return (
    <div class="entries" ref={box} onScroll={measure}>
      {/* biome-ignore lint/a11y: with entries it is a feed, and without them nothing to use */}
      <div
        ref={list}
        class="space"
        // An empty feed is none.
        role={keys.length > 0 ? 'feed' : undefined}
        aria-label={keys.length > 0 ? 'Entries of the transcript' : undefined}
        style={{ height: `${total}px` }}
        onKeyDown={onKeyDown}
      >
        {drawn}
      </div>
    </div>
  );
}

/** Where the entries of a list begin. */
class Places {
  /** Where each entry begins, and where the last one ends, in pixels. */
  readonly offsets: Float64Array;
  readonly #heights: Float64Array;
  /** The first place whose height has changed. */
  #changed = 0;

  constructor(keys: readonly string[], known: ReadonlyMap<string, number>) {
    this.offsets = new Float64Array(keys.length + 1);
    this.#heights = Float64Array.from(keys, (key) => known.get(key) ?? guessedHeight);
    this.update();
  }

  setHeight(place: number, height: number): void {
    this.#heights[place] = height;
    this.#changed = Math.min(this.#changed, place);
  }

  /** Moves what is below an entry whose height has changed. Returns whether there was one. */
  update(): boolean {
    const { length } = this.#heights;
    const isChanged = this.#changed < length;
    for (let place = this.#changed; place < length; place++) {
      this.offsets[place + 1] = (this.offsets[place] ?? 0) + (this.#heights[place] ?? 0);
    }
    this.#changed = length;
    return isChanged;
  }
}

/** The place whose entry covers a height. */
function placeAt(offsets: Float64Array, height: number): number {
  return countWhile(offsets.length - 1, (place) => (offsets[place + 1] ?? 0) <= height);
}

import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { usePressed, useView } from './hooks.ts';
import { keyTarget } from './list-keys.ts';

/** In pixels. */
const rowHeight = 24;

/** How many rows are drawn above and below what is visible. */
const overscan = 12;

/** The list is drawn again when this many rows were scrolled. */
const drawnEvery = 6;

interface RowListProps {
  readonly id: string;
  readonly label: string;
  readonly count: number;
  /** Place of the active row in the list. -1: none. */
  readonly active: number;
  /** Place of the row to scroll to. Default: the active one. */
  readonly shown?: number;
  /** Whether the list stays at its end while it grows. */
  readonly follows: boolean;
  readonly onActivate: (place: number) => void;
  readonly onOpen?: (place: number) => void;
  readonly row: (place: number) => { readonly class: string; readonly children: ComponentChildren };
  readonly empty: string;
}

/** A list of rows of the same height, of which only the visible ones are in the document. */
export function RowList(props: RowListProps) {
  const { id, label, count, active, shown = active, follows, onActivate, onOpen, row, empty } = props;
  const box = useRef<HTMLDivElement>(null);
  const { view, measure } = useView(box, drawnEvery * rowHeight);
  const isPressed = usePressed(box);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a ref does not change
  useLayoutEffect(() => {
    if (follows && box.current && !isPressed.current) box.current.scrollTop = count * rowHeight;
  }, [follows, count]);
  useEffect(() => {
    const element = box.current;
    if (!element || shown < 0) return;
    const top = shown * rowHeight;
    const { scrollTop, clientHeight } = element;
    if (top < scrollTop || top + rowHeight > scrollTop + clientHeight) {
      element.scrollTop = Math.max(0, top - clientHeight / 3);
    }
  }, [shown]);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - overscan);
  const end = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + drawnEvery + overscan);
  const page = Math.max(1, Math.floor(view.height / rowHeight) - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    // Without an active row, the arrow up leads to the last one.
    const target = keyTarget(event, active < 0 && event.key === 'ArrowUp' ? count : active, count, page);
    if (target !== undefined) {
      event.preventDefault();
      if (count > 0) onActivate(target);
    } else if (event.key === 'Enter' && active >= 0) onOpen?.(active);
  };
  // Scrolling alone gives the list the same properties: rows that stay are not compared again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const drawn = useMemo(() => new Map<number, VNode>(), [props]);
  const drawRow = (place: number) => {
    const { class: name, children } = row(place);
    return (
      // The list has the focus, and its keys choose a row.
      // biome-ignore lint/a11y/useKeyWithClickEvents: see above
      <div
        key={place}
        id={`${id}-${place}`}
        class={`row ${name}`}
        role="option"
        tabIndex={-1}
        aria-selected={place === active}
        aria-setsize={count}
        aria-posinset={place + 1}
        style={{ top: `${place * rowHeight}px`, height: `${rowHeight}px` }}
        onClick={() => onActivate(place)}
        onDblClick={() => onOpen?.(place)}
      >
        {children}
      </div>
    );
  };
  const rows: VNode[] = [];
  for (let place = first; place < end; place++) {
    const known = drawn.get(place) ?? drawRow(place);
    drawn.set(place, known);
    rows.push(known);
  }
  const isDrawn = active >= first && active < end;
  return (
    <div
      ref={box}
      class="rows"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={isDrawn ? `${id}-${active}` : undefined}
      onScroll={measure}
      onKeyDown={onKeyDown}
    >
      {count === 0 ? (
        <div class="none" role="option" aria-selected={false} tabIndex={-1}>
          {empty}
        </div>
      ) : (
        <div class="space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
          {rows}
        </div>
      )}
    </div>
  );
}

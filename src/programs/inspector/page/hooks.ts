import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

/** Draws a component again after each change of something with `subscribe`. */
export function useChanges(source: { subscribe(listener: () => void): () => void }): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  // As soon as it is drawn: a change before the next frame is not lost.
  useLayoutEffect(() => source.subscribe(() => draw(undefined as never)), [source]);
}

/**
 * Which part of a list is visible, in pixels. It is measured when the list is there, and after each change of its size.
 * The list calls `measure` when it scrolls.
 *
 * @param stepPx - The list is drawn again when this much was scrolled.
 */
export function useView(box: { readonly current: Element | null }, stepPx: number) {
  const [view, setView] = useState({ top: 0, height: 800 });
  const measure = () => {
    if (!box.current) return;
    const { scrollTop, clientHeight: height } = box.current;
    const top = Math.floor(scrollTop / stepPx) * stepPx;
    setView((before) => (before.top === top && before.height === height ? before : { top, height }));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first one measures the same
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return { view, measure };
}

/**
 * Whether a pointer is pressed in an element. A list that scrolls then would move what is clicked away: the browser sends a
 * click only if the pointer is released where it was pressed.
 */
export function usePressed(box: { readonly current: Element | null }): { readonly current: boolean } {
  const isPressed = useRef(false);
  useEffect(() => {
    const press = ({ target }: PointerEvent) => {
      isPressed.current = target instanceof Node && box.current?.contains(target) === true;
    };
    // Not each browser says that a scroll bar was released. The next move does.
    const release = ({ buttons }: PointerEvent) => {
      if (buttons === 0) isPressed.current = false;
    };
    const over = new AbortController();
    const options = { signal: over.signal, capture: true };
    addEventListener('pointerdown', press, options);
    addEventListener('pointermove', release, options);
    addEventListener('pointerup', release, options);
    addEventListener('pointercancel', release, options);
    return () => over.abort();
  }, [box]);
  return isPressed;
}

/** How far from the end still counts as there, in pixels. */
const nearPx = 24;

/**
 * Keeps the end in view while the content grows, unless the user scrolled up. While a pointer is pressed nothing moves away
 * under it: a button gets its click, and a selection stays where it is. Call it in the `ref` of the element that
 * scrolls, whose first child is the content.
 *
 * @param onStick - Called with whether the end is kept in view, when the user scrolls.
 */
export function stickToEnd(
  scroller: HTMLElement | null,
  onStick: (isAtEnd: boolean) => void,
): (() => void) | undefined {
  const content = scroller?.firstElementChild;
  if (!scroller || !content) return undefined;
  let isAtEnd = true;
  let isPressed = false;
  let top = 0;
  const stick = (wanted: boolean) => {
    isAtEnd = wanted;
    // The browser keeps in view what the user reads when something above it gets its height. At the end it must not.
    scroller.style.overflowAnchor = isAtEnd ? 'none' : '';
  };
  const onScroll = () => {
    const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < nearPx;
    // The content can have grown since the event. Only the user scrolls up.
    if (isNear || scroller.scrollTop < top) {
      stick(isNear);
      onStick(isNear);
    }
    top = scroller.scrollTop;
  };
  const follow = () => {
    if (!isAtEnd || isPressed) return;
    scroller.scrollTop = scroller.scrollHeight;
    // Content that became shorter has moved the place up, too.
    top = scroller.scrollTop;
  };
  const press = () => {
    isPressed = true;
  };
  const release = ({ buttons }: PointerEvent) => {
    // Not each browser says that a scroll bar was released. The next move does.
    if (!isPressed || buttons !== 0) return;
    isPressed = false;
    // After the click.
    setTimeout(follow, 0);
  };
  const observer = new ResizeObserver(follow);
  const over = new AbortController();
  const { signal } = over;
  stick(true);
  observer.observe(scroller);
  observer.observe(content);
  scroller.addEventListener('scroll', onScroll, { passive: true, signal });
  scroller.addEventListener('pointerdown', press, { signal });
  addEventListener('pointermove', release, { signal });
  addEventListener('pointerup', release, { signal });
  addEventListener('pointercancel', release, { signal });
  return () => {
    observer.disconnect();
    over.abort();
  };
}

/** How far from the end still counts as there, in pixels. */
const nearPx = 24;

/**
 * Keeps the end in view while the content grows, unless the user scrolled up. Call it in the `ref` of the element that
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
  const observer = new ResizeObserver(() => {
    if (!isAtEnd) return;
    scroller.scrollTop = scroller.scrollHeight;
    // Content that became shorter has moved the place up, too.
    top = scroller.scrollTop;
  });
  stick(true);
  observer.observe(scroller);
  observer.observe(content);
  scroller.addEventListener('scroll', onScroll, { passive: true });
  return () => {
    observer.disconnect();
    scroller.removeEventListener('scroll', onScroll);
  };
}

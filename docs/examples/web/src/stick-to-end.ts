/** How far from the end still counts as there, in pixels. */
const near = 32;

/**
 * Keeps the end of a scrolling element in view while its content grows, unless the reader has scrolled away. To be
 * given as the `ref` of the element, whose one child is the content.
 */
export function stickToEnd(scroller: HTMLElement | null): (() => void) | undefined {
  if (!scroller) return undefined;
  let atEnd = true;
  let top = 0;
  const scrolled = () => {
    const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < near;
    // The content can have grown since the event. Only the reader scrolls up.
    if (isNear || scroller.scrollTop < top) atEnd = isNear;
    top = scroller.scrollTop;
  };
  // It sees what grows by itself as well, as an image does that has loaded.
  const observer = new ResizeObserver(() => {
    if (atEnd) scroller.scrollTop = scroller.scrollHeight;
  });
  observer.observe(scroller);
  if (scroller.firstElementChild) observer.observe(scroller.firstElementChild);
  scroller.addEventListener('scroll', scrolled, { passive: true });
  return () => {
    observer.disconnect();
    scroller.removeEventListener('scroll', scrolled);
  };
}

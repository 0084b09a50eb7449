import { hasMethods } from './options.ts';

/**
 * Calls `listener` when a page or a worker is online again, and returns the function that stops that. Node has no such
 * event.
 */
export function onOnline(listener: () => void): () => void {
  // The types are those of Node, whose global object has no events.
  const page = globalThis as unknown as Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;
  if (!hasMethods(page, 'addEventListener', 'removeEventListener')) return () => {};
  page.addEventListener('online', listener);
  return () => page.removeEventListener('online', listener);
}

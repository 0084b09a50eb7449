import type { TimelineFile } from '../timeline/items.ts';
import { literal } from './literal.ts';

/** Where the page keeps its timelines. */
const beginOfTimelines = '<script type="application/json" id="timelines">';

/**
 * The page with timelines in it, as one file that needs no server.
 *
 * @param page - The built page, without timelines.
 */
export function htmlText(page: string, timelines: readonly TimelineFile[]): string {
  const [before, after] = page.split(`${beginOfTimelines}</script>`);
  if (before === undefined || after === undefined) {
    throw new Error('The page of the inspector has no place for a timeline.');
  }
  // No text in it ends the element.
  const json = literal(timelines).replaceAll('<', '\\u003c');
  return `${before}${beginOfTimelines}${json}</script>${after}`;
}

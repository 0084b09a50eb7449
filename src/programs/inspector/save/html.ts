import type { TimelineFile } from '../timeline/items.ts';

/** Where the page keeps its timelines. */
const place = '<script type="application/json" id="timelines">';

/**
 * The page with timelines in it, as one file that needs no server.
 *
 * @param page - The built page, without timelines.
 */
export function htmlText(page: string, timelines: readonly TimelineFile[]): string {
  const [before, after] = page.split(`${place}</script>`);
  if (before === undefined || after === undefined) {
    throw new Error('The page of the inspector has no place for a timeline.');
  }
  return `${before}${place}${scriptSafe(JSON.stringify(timelines))}</script>${after}`;
}

/** JSON that ends no element, whatever its texts are. */
function scriptSafe(json: string): string {
  return json.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

import type { TimelineItem } from '../timeline/items.ts';
import { recordsOf } from '../timeline/records.ts';

/** A timeline as a recording, with one record per line. What is not a message is a note, which other readers skip. */
export function recordingText(items: readonly TimelineItem[]): string {
  return recordsOf(items)
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}

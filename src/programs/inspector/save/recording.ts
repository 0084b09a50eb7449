import type { JsonObject } from '../../../core/base/json.ts';
import { timelineNote } from '../../../core/trace/notes.ts';
import type { TrafficRecord } from '../../../core/trace/traffic.ts';
import type { TimelineItem } from '../timeline/items.ts';

/**
 * A timeline as a recording, with one record per line. What is not a message is a note, which other readers skip. The
 * cause of a diagnostic is then the number of a record. What the agent offered is in its answer.
 */
export function recordingText(items: readonly TimelineItem[]): string {
  const records: TrafficRecord[] = [];
  /** The number of the record of each item. */
  const numbers: number[] = [];
  for (const item of items) {
    numbers.push(records.length);
    const record = recordOf(item, numbers);
    if (record) records.push(record);
  }
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function recordOf(item: TimelineItem, numbers: readonly number[]): TrafficRecord | undefined {
  const { t } = item;
  if (item.type === 'connection' || item.type === 'transcript') return undefined;
  if (item.type === 'message') return { dir: item.dir, t, msg: item.msg };
  const { type, t: _, ...params } = item;
  const cause = item.type === 'diagnostic' && item.cause !== undefined && { cause: numbers[item.cause] };
  // The rest of such an item is JSON.
  return { dir: 'in', t, msg: timelineNote(type, { ...params, ...cause } as JsonObject) };
}

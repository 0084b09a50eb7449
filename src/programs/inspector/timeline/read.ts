import { type Diagnostic, preview } from '../../../core/base/diagnostic.ts';
import { timelineNoteType } from '../../../core/trace/notes.ts';
import { readRecord, type TrafficRecord } from '../../../core/trace/traffic.ts';
import { endAt, messagesOf, withoutToolTraffic } from '../../../records/recording/recorded-message.ts';
import { TimelineFold } from './fold.ts';
import { GrowingTimeline } from './growing.ts';
import type { TimelineItem, TimelineLine } from './items.ts';
import { diagnosticItem, itemOfNote } from './notes.ts';

/** A line of a recording. */
type Line = { readonly record: TrafficRecord } | { readonly problem: Diagnostic };

/** How many lines are read at once. */
const stepLines = 500;

/**
 * Reads a recording as a timeline, without an agent. The conversations are those of `foldTraffic`. The content of a
 * recording never makes it throw.
 *
 * @param onStep - Called with how much is read, from 0 to 1. Reading goes on when it has resolved.
 */
export async function readTimeline(
  text: string,
  onStep: (share: number) => Promise<void> = async () => {},
): Promise<readonly TimelineLine[]> {
  const lines = linesOf(text);
  const messages = lines.map((line) => ('record' in line ? messagesOf(line.record) : []));
  const folded = withoutToolTraffic(messages.flat());
  const following = new Map(folded.map((message, index) => [message, folded[index + 1]]));
  const notes = lines.flatMap((line) => ('record' in line ? (timelineNoteType(line.record.msg) ?? []) : []));
  const timeline = new GrowingTimeline('', [], 'complete');
  /** The item of each line. */
  const itemOf: number[] = [];
  let latest = 0;
  const fold = new TimelineFold(timeline, new Set(notes));
  for (const [index, line] of lines.entries()) {
    if (index % stepLines === 0) await onStep(index / lines.length);
    if ('record' in line) latest = line.record.t;
    const at = timeline.add(
      'record' in line ? itemOfRecord(line.record, itemOf) : diagnosticItem(line.problem, latest, undefined),
    );
    itemOf.push(at);
    for (const message of messages[index] ?? []) {
      const end = endAt(message, following.get(message));
      if (!following.has(message)) continue;
      if (end) fold.end(end, at, message.t);
      else fold.take(message, at);
    }
  }
  return timeline.lines;
}

function linesOf(text: string): readonly Line[] {
  return text.split('\n').flatMap((line, index): Line[] => {
    if (line.trim() === '') return [];
    const record = readRecord(line);
    if (record) return [{ record }];
    const message = `Line ${index + 1} is not a record of traffic, as in {"dir":"in","t":0,"msg":{…}}. It was ignored.`;
    return [{ problem: { rule: 'transport.noise', severity: 'warning', message, received: preview(line) } }];
  });
}

function itemOfRecord(record: TrafficRecord, itemOf: readonly number[]): TimelineItem {
  const { dir, t, msg } = record;
  const item = itemOfNote(record) ?? { type: 'message', dir, t, msg };
  if (item.type !== 'diagnostic' || item.cause === undefined) return item;
  const { cause: line, ...rest } = item;
  const cause = itemOf[line];
  return { ...rest, ...(cause !== undefined && { cause }) };
}

import * as v from 'valibot';
import type { DiagnosticRule } from '../../../base/diagnostic.ts';
import { isJsonObject } from '../../../base/json.ts';
import { type TimelineNoteType, timelineNoteType } from '../../../trace/timeline-note.ts';
import type { TrafficRecord } from '../../../trace/traffic.ts';
import type { DiagnosticItem, ProcessItem, StderrItem } from './items.ts';

/** An item that a recording has as a note. */
type NotedItem = StderrItem | ProcessItem | DiagnosticItem;

const text = v.string();
const index = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What each note holds. A recording can be edited by hand. */
const schemas = {
  stderr: v.object({ text }),
  process: v.object({
    state: v.picklist(['starting', 'started', 'exited', 'restarting']),
    command: v.exactOptional(text),
    args: v.exactOptional(v.array(text)),
    cwd: v.exactOptional(text),
    env: v.exactOptional(v.array(v.object({ name: text, value: text }))),
    url: v.exactOptional(text),
    pid: v.exactOptional(v.number()),
    exitCode: v.exactOptional(v.nullable(v.number())),
    signal: v.exactOptional(v.nullable(text)),
    reason: v.exactOptional(text),
  }),
  diagnostic: v.object({
    // Later versions can have other rules. They are shown as they are.
    rule: v.custom<DiagnosticRule>((value) => typeof value === 'string'),
    severity: v.picklist(['info', 'warning', 'error']),
    message: text,
    received: v.exactOptional(text),
    cause: v.exactOptional(index),
  }),
} as const satisfies Record<TimelineNoteType, v.GenericSchema>;

/** Reads a record that is a note. `undefined` for a message, and for a note of another form. */
export function itemOfNote({ t, msg }: TrafficRecord): NotedItem | undefined {
  const type = timelineNoteType(msg);
  if (!type || !isJsonObject(msg)) return undefined;
  const read = v.safeParse<(typeof schemas)[TimelineNoteType]>(schemas[type], msg['params']);
  // The schema of this type read it.
  return read.success ? ({ type, t, ...read.output } as NotedItem) : undefined;
}

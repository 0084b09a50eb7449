import * as v from 'valibot';
import type { Diagnostic, DiagnosticRule } from '../../../core/base/diagnostic.ts';
import { isJsonObject } from '../../../core/base/json.ts';
import { timelineNoteType } from '../../../core/trace/notes.ts';
import type { TrafficRecord } from '../../../core/trace/traffic.ts';

const text = v.string();

/** What the items hold that a recording has as notes. A recording can be edited by hand. */
const schemas = {
  stderr: v.object({ text }),
  process: v.object({
    state: v.picklist(['starting', 'started', 'exited', 'restarting']),
    /** What starts. Present with `starting` if the agent is a program. */
    command: v.exactOptional(text),
    args: v.exactOptional(v.pipe(v.array(text), v.readonly())),
    cwd: v.exactOptional(text),
    /** The variables that were set for the agent. The values are redacted. */
    env: v.exactOptional(v.array(v.object({ name: text, value: text }))),
    /** The address of an agent on another machine, without credentials. Present with `starting`. */
    url: v.exactOptional(text),
    pid: v.exactOptional(v.number()),
    /** `null` if a signal ended the process. Present with `exited` if there was a process. */
    exitCode: v.exactOptional(v.nullable(v.number())),
    signal: v.exactOptional(v.nullable(text)),
    /** Why it ended or restarts, as a sentence. */
    reason: v.exactOptional(text),
  }),
  diagnostic: v.object({
    // Later versions can have other rules. They are shown as they are.
    rule: v.custom<DiagnosticRule>((value) => typeof value === 'string'),
    severity: v.picklist(['info', 'warning', 'error']),
    message: text,
    received: v.exactOptional(text),
    /** The index of the message that caused it. Absent if none did. */
    cause: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  }),
} as const;

export type NoteType = keyof typeof schemas;

/** What a note holds. */
export type Note<Type extends NoteType> = Readonly<v.InferOutput<(typeof schemas)[Type]>>;

type NotedItem = { [Type in NoteType]: { readonly type: Type; readonly t: number } & Note<Type> }[NoteType];

/** Reads a record that is a note. `undefined` for a message, and for a note of another form. */
export function itemOfNote({ t, msg }: TrafficRecord): NotedItem | undefined {
  const type = timelineNoteType(msg);
  if (!type || !isJsonObject(msg)) return undefined;
  const read = v.safeParse<(typeof schemas)[NoteType]>(schemas[type], msg['params']);
  // The schema of this type read it.
  return read.success ? ({ type, t, ...read.output } as NotedItem) : undefined;
}

/** A diagnostic as an item, with the index of the message that caused it. */
export function diagnosticItem(
  { rule, severity, message, received }: Diagnostic,
  t: number,
  cause: number | undefined,
): Extract<NotedItem, { type: 'diagnostic' }> {
  return {
    type: 'diagnostic',
    t,
    rule,
    severity,
    message,
    ...(received !== undefined && { received }),
    ...(cause !== undefined && { cause }),
  };
}

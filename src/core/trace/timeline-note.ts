import { isJsonObject, type JsonObject } from '../base/json.ts';

/** What a recording of the inspector has beside the messages, and the methods of its records. */
const methods = {
  stderr: '$/stderr',
  process: '$/process',
  diagnostic: '$/diagnostic',
} as const;

/** The kinds of these notes. */
export type TimelineNoteType = keyof typeof methods;

const types: ReadonlyMap<unknown, TimelineNoteType> = new Map(
  Object.entries(methods).map(([type, method]) => [
    method,
    // The keys of the table.
    type as TimelineNoteType,
  ]),
);

/**
 * A record of what happened beside the messages, such as a line of stderr. It has the form of a notification that neither
 * side sends, so that other readers of a recording ignore it.
 */
export function timelineNote(type: TimelineNoteType, params: JsonObject): JsonObject {
  return { jsonrpc: '2.0', method: methods[type], params };
}

/** The kind of such a note. `undefined` for any other message. */
export function timelineNoteType(message: unknown): TimelineNoteType | undefined {
  return isJsonObject(message) ? types.get(message['method']) : undefined;
}

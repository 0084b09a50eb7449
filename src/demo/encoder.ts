import type { JsonObject } from '../json.ts';
import type { EventOf, EventType, SessionEvent } from './event.ts';
import type { Settings, ToolCall } from './history.ts';

/** A question to the user, in no protocol version. */
export interface PermissionQuestion {
  readonly title: string;
  readonly description: string;
  readonly call: ToolCall;
}

/** Writes what happens in a session as one protocol version wants it. */
export interface Encoder {
  /** The updates that tell an event; none where the version cannot tell it. */
  updates(event: SessionEvent): readonly JsonObject[];
  /** The parameters of `session/request_permission`, less the session and the options. */
  permission(question: PermissionQuestion): JsonObject;
  /** What the answers that open a session say about it. */
  opened(settings: Settings): JsonObject;
  configOptions(settings: Settings): readonly JsonObject[];
}

export type UpdateTable = {
  readonly [T in EventType]: (event: EventOf<T>) => readonly JsonObject[];
};

export function lookUp(table: UpdateTable, event: SessionEvent): readonly JsonObject[] {
  // The table has one entry for each type; TypeScript cannot see that the one looked up takes this event.
  const encode = table[event.type] as (event: SessionEvent) => readonly JsonObject[];
  return encode(event);
}

import { isJsonObject, type JsonObject } from '../base/json.ts';

const method = '$/tool';

/** What a recording has of a call of an editor's tool that did not pass over the connection, or of its result. */
export interface ToolNote {
  readonly server: string;
  /** Absent if the agent had not opened the session yet. */
  readonly sessionId?: string | undefined;
  /** The number of the call, counted from 1 for each server of a session. The result has the same. */
  readonly call: number;
  /** The call. Absent in the note of its result. */
  readonly tool?: string | undefined;
  readonly arguments?: unknown;
  readonly result?: unknown;
}

/**
 * The record of a call of an editor's tool. It has the form of a notification that neither side sends, so that other
 * readers of a recording ignore it.
 */
export function toolNote(params: ToolNote): JsonObject {
  // The members are copies of JSON: the input of a call, and its checked result.
  return { jsonrpc: '2.0', method, params: { ...params } as JsonObject };
}

/** Whether a recorded message is a note of the client. A note was not sent to the agent. */
export function isToolNote(message: unknown): boolean {
  return isJsonObject(message) && message['method'] === method;
}

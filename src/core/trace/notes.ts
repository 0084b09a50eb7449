import {
  type AcpError,
  ConnectionClosedError,
  HttpError,
  InvalidMessageError,
  MessageTooLargeError,
  TimeoutError,
} from '../base/errors.ts';
import { isJsonObject, isRequestId, type JsonObject } from '../base/json.ts';
import type { ProcessExit } from '../base/process-exit.ts';
import type { ChannelFault, TransportEnd } from '../transport/transport.ts';

/** What a recording has of an error of a channel. */
export function describeError(error: AcpError): JsonObject {
  const { code, message } = error;
  if (error instanceof HttpError) return { code, message, status: error.status, body: error.body };
  if (error instanceof MessageTooLargeError) return { code, message, limitBytes: error.limitBytes };
  return { code, message, ...(error instanceof TimeoutError && { timeoutMs: error.timeoutMs }) };
}

/** The recorded error of a channel. */
export function readError(recorded: unknown): AcpError {
  const { code, message: text, status, body, timeoutMs, limitBytes } = isJsonObject(recorded) ? recorded : {};
  const message = typeof text === 'string' ? text : 'The recording does not say why.';
  if (typeof status === 'number') {
    return new HttpError(message, { status, body: typeof body === 'string' ? body : '' });
  }
  if (typeof timeoutMs === 'number') return new TimeoutError(message, { timeoutMs });
  if (typeof limitBytes === 'number') return new MessageTooLargeError(message, { limitBytes });
  return code === 'protocol.message' ? new InvalidMessageError(message) : new ConnectionClosedError(message);
}

/** The methods of the notes. Each has the form of a notification that neither side sends: other readers ignore it. */
const methods = {
  callFailed: '$/call_failed',
  sessionLost: '$/session_lost',
  ended: '$/ended',
  tool: '$/tool',
  stderr: '$/stderr',
  process: '$/process',
  diagnostic: '$/diagnostic',
} as const;

function note(type: keyof typeof methods, params: JsonObject): JsonObject {
  return { jsonrpc: '2.0', method: methods[type], params };
}

/**
 * The record of a fault of a channel. In a recording, `canReturn` says whether the client opens the session again by itself.
 */
export function channelNote({ type, error, ...params }: ChannelFault): JsonObject {
  return note(type, { ...params, error: describeError(error) });
}

/** Whether a recorded message has the form of the record of a fault. */
export function isChannelNote(message: unknown): boolean {
  const method = isJsonObject(message) && message['method'];
  return method === methods.callFailed || method === methods.sessionLost;
}

/** Reads the record of such a fault. Returns `undefined` for any other message. */
export function readChannelNote(message: JsonObject): ChannelFault | undefined {
  const { method, params } = message;
  // Most messages are no notes, and an error with its stack takes time.
  if (!isChannelNote(message) || !isJsonObject(params)) return undefined;
  const { id, sessionId, canReturn } = params;
  const error = readError(params['error']);
  if (method === methods.callFailed && isRequestId(id)) return { type: 'callFailed', id, error };
  if (method === methods.sessionLost && typeof sessionId === 'string') {
    return { type: 'sessionLost', sessionId, error, canReturn: canReturn === true };
  }
  return undefined;
}

/** How a recorded agent ended: how its program exited, or why the channel to it broke. Empty if neither is known. */
export interface RecordedEnd extends Partial<ProcessExit> {
  /** For a channel without a program. */
  readonly error?: AcpError;
}

/** The record of an agent that ended without a request to do so. */
export function endMark({ exit, error }: TransportEnd): JsonObject {
  if (exit) return note('ended', { exitCode: exit.exitCode ?? null, signal: exit.signal ?? null });
  return note('ended', error ? { error: describeError(error) } : {});
}

/** Reads the record of an agent's end. Returns `undefined` for any other message. */
export function readEndMark(message: JsonObject): RecordedEnd | undefined {
  if (message['method'] !== methods.ended) return undefined;
  const { exitCode, signal, error } = isJsonObject(message['params']) ? message['params'] : {};
  return {
    ...((typeof exitCode === 'number' || exitCode === null) && { exitCode }),
    ...((typeof signal === 'string' || signal === null) && { signal }),
    ...(isJsonObject(error) && { error: readError(error) }),
  };
}

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

/** The record of a call of an editor's tool. */
export function toolNote(params: ToolNote): JsonObject {
  // The members are copies of JSON: the input of a call, and its checked result.
  return note('tool', { ...params } as JsonObject);
}

/** Whether a recorded message is a note of the client. A note was not sent to the agent. */
export function isToolNote(message: unknown): boolean {
  return isJsonObject(message) && message['method'] === methods.tool;
}

const timelineNotes = ['stderr', 'process', 'diagnostic'] as const;

/** The kinds of what a recording of the inspector has beside the messages. */
export type TimelineNoteType = (typeof timelineNotes)[number];

/** The record of what happened beside the messages, such as a line of stderr. */
export const timelineNote: (type: TimelineNoteType, params: JsonObject) => JsonObject = note;

/** The kind of such a note. `undefined` for any other message. */
export function timelineNoteType(message: unknown): TimelineNoteType | undefined {
  if (!isJsonObject(message)) return undefined;
  return timelineNotes.find((type) => methods[type] === message['method']);
}

import type { AcpError } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { isRequestId, type RequestId } from '../request-id.ts';
import { describeError, readError } from './recorded-error.ts';

/** What a recording has of a fault that one call or one session has, although the channel goes on. */
export type ChannelNote =
  /** A call got no answer. */
  | { readonly type: 'callFailed'; readonly id: RequestId; readonly error: AcpError }
  /** The messages of a session no longer arrive. */
  | {
      readonly type: 'sessionLost';
      readonly sessionId: string;
      readonly error: AcpError;
      /** Whether the client opens the session again by itself. */
      readonly canReturn: boolean;
    };

const methods = {
  callFailed: '$/call_failed',
  sessionLost: '$/session_lost',
} as const satisfies Record<ChannelNote['type'], string>;

const names: readonly unknown[] = Object.values(methods);

/**
 * The record of such a fault. It has the form of a notification that agents do not send, so that other readers of a
 * recording ignore it.
 */
export function channelNote({ type, error, ...params }: ChannelNote): JsonObject {
  return { jsonrpc: '2.0', method: methods[type], params: { ...params, error: describeError(error) } };
}

/** Whether a recorded message has the form of the record of such a fault. */
export function isChannelNote(message: unknown): boolean {
  return isJsonObject(message) && names.includes(message['method']);
}

/** Reads the record of such a fault. Returns `undefined` for any other message. */
export function readChannelNote(message: JsonObject): ChannelNote | undefined {
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

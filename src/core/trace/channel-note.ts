import { isJsonObject, type JsonObject } from '../base/json.ts';
import { isRequestId } from '../base/request-id.ts';
import type { ChannelFault } from '../transport/transport.ts';
import { describeError, readError } from './recorded-error.ts';

const methods = {
  callFailed: '$/call_failed',
  sessionLost: '$/session_lost',
} as const satisfies Record<ChannelFault['type'], string>;

const names: readonly unknown[] = Object.values(methods);

/**
 * The record of such a fault. It has the form of a notification that agents do not send, so that other readers of a
 * recording ignore it. In a recording, `canReturn` says whether the client opens the session again by itself.
 */
export function channelNote({ type, error, ...params }: ChannelFault): JsonObject {
  return { jsonrpc: '2.0', method: methods[type], params: { ...params, error: describeError(error) } };
}

/** Whether a recorded message has the form of the record of such a fault. */
export function isChannelNote(message: unknown): boolean {
  return isJsonObject(message) && names.includes(message['method']);
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

import {
  type AcpError,
  ConnectionClosedError,
  HttpError,
  InvalidMessageError,
  MessageTooLargeError,
  TimeoutError,
} from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';

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

import type { AcpError } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { ProcessExit } from '../base/process-exit.ts';
import type { TransportEnd } from '../transport/transport.ts';
import { describeError, readError } from './recorded-error.ts';

/** How a recorded agent ended: how its program exited, or why the channel to it broke. Empty if neither is known. */
export interface RecordedEnd extends Partial<ProcessExit> {
  /** For a channel without a program. */
  readonly error?: AcpError;
}

const method = '$/ended';

/**
 * The record of an agent that ended without a request to do so. It has the form of a notification that agents do not
 * send, so that other readers of a recording ignore it.
 */
export function endMark({ exit, error }: TransportEnd): JsonObject {
  if (exit) {
    const params = { exitCode: exit.exitCode ?? null, signal: exit.signal ?? null };
    return { jsonrpc: '2.0', method, params };
  }
  return { jsonrpc: '2.0', method, params: error ? { error: describeError(error) } : {} };
}

/** Reads the record of an agent's end. Returns `undefined` for any other message. */
export function readEndMark(message: JsonObject): RecordedEnd | undefined {
  if (message['method'] !== method) return undefined;
  const { exitCode, signal, error } = isJsonObject(message['params']) ? message['params'] : {};
  return {
    ...((typeof exitCode === 'number' || exitCode === null) && { exitCode }),
    ...((typeof signal === 'string' || signal === null) && { signal }),
    ...(isJsonObject(error) && { error: readError(error) }),
  };
}

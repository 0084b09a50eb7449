import { isJsonObject, type JsonObject } from '../json.ts';
import type { ProcessExit } from '../process-exit.ts';

/** How a recorded agent exited. Empty if the transport had no process. */
export type RecordedEnd = Partial<ProcessExit>;

const method = '$/ended';

/**
 * The record of an agent that ended without a request to do so. It has the form of a notification that agents do not
 * send, so that other readers of a recording ignore it.
 */
export function endMark(exit: RecordedEnd | undefined): JsonObject {
  const params = exit ? { exitCode: exit.exitCode ?? null, signal: exit.signal ?? null } : {};
  return { jsonrpc: '2.0', method, params };
}

/** Reads the record of an agent's end. Returns `undefined` for any other message. */
export function readEndMark(message: JsonObject): RecordedEnd | undefined {
  if (message['method'] !== method) return undefined;
  const { exitCode, signal } = isJsonObject(message['params']) ? message['params'] : {};
  return {
    ...((typeof exitCode === 'number' || exitCode === null) && { exitCode }),
    ...((typeof signal === 'string' || signal === null) && { signal }),
  };
}

import { isJsonObject, type JsonObject } from '../json.ts';

/** How a recorded agent ended. Empty where there was no program whose end could be seen. */
export interface RecordedEnd {
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

const method = '$/ended';

/**
 * What a recording says where the agent ended and nobody had asked it to: a notification that no agent sends, and
 * that whoever does not know it passes over.
 */
export function endMark(exit: RecordedEnd | undefined): JsonObject {
  const params = exit ? { exitCode: exit.exitCode ?? null, signal: exit.signal ?? null } : {};
  return { jsonrpc: '2.0', method, params };
}

/** The end that a recorded message tells of; nothing if it tells of none. */
export function readEndMark(message: JsonObject): RecordedEnd | undefined {
  if (message['method'] !== method) return undefined;
  const { exitCode, signal } = isJsonObject(message['params']) ? message['params'] : {};
  return {
    ...((typeof exitCode === 'number' || exitCode === null) && { exitCode }),
    ...((typeof signal === 'string' || signal === null) && { signal }),
  };
}

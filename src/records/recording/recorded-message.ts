import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import { isToolNote, type RecordedEnd, readEndMark, timelineNoteType } from '../../core/trace/notes.ts';
import type { TrafficRecord } from '../../core/trace/traffic.ts';

/** One message of a recording. */
export interface RecordedMessage extends Omit<TrafficRecord, 'msg'> {
  readonly message: JsonObject;
}

/** The messages of a record, which holds an array of them where the agent sent one. */
export function messagesOf({ dir, t, msg }: TrafficRecord): readonly RecordedMessage[] {
  const messages: readonly unknown[] = Array.isArray(msg) ? msg : [msg];
  return messages.filter(isJsonObject).map((message) => ({ dir, t, message }));
}

/**
 * The messages without notes of what happened beside them, and without what passed for the tools of an editor: notes of
 * their calls, and what the client sent for requests of the agent to an MCP server of the editor. A client that is
 * compared with the recording need not send it: its tools do not run again.
 */
export function withoutToolTraffic(messages: readonly RecordedMessage[]): readonly RecordedMessage[] {
  /** The ids of the requests that have no answer yet. */
  const open = new Set<string>();
  return messages.filter(({ dir, message }) => {
    const { method, id } = message;
    if (isToolNote(message) || timelineNoteType(message)) return false;
    const isForServer = method === 'mcp/message';
    if (dir === 'in') {
      if (isForServer && id !== undefined) open.add(idKey(id));
      return true;
    }
    if (isForServer && id === undefined) return false;
    return method !== undefined || !open.delete(idKey(id));
  });
}

/** The parameters of a message. Empty where they are not an object. */
export function paramsOf({ params }: JsonObject): JsonObject {
  return isJsonObject(params) ? params : {};
}

/** The session that a message names in its parameters. */
export function sessionIdOf(message: JsonObject): string | undefined {
  const { sessionId } = paramsOf(message);
  return typeof sessionId === 'string' ? sessionId : undefined;
}

/** Some agents answer with a number's text where the request had the number. */
export function idKey(id: unknown): string {
  return String(id);
}

/** How the recorded agent ended here. An end mark that other messages follow came from the agent itself. */
export function endAt(
  { dir, message }: RecordedMessage,
  following: RecordedMessage | undefined,
): RecordedEnd | undefined {
  const isLast = following === undefined || following.message['method'] === 'initialize';
  return dir === 'in' && isLast ? readEndMark(message) : undefined;
}

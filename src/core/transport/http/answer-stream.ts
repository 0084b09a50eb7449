import type { AcpError } from '../../base/errors.ts';
import { EventStream, type EventStreamCommons } from './event-stream.ts';

/** What an event stream that answers a POST needs. */
interface AnswerStreamParts extends Omit<EventStreamCommons, 'open'> {
  onMessage(text: string): void;
  /** The stream has ended. Called once, unless it was closed. */
  onEnd(end: { readonly error: AcpError; readonly broughtEvents: boolean }): void;
}

/**
 * Reads an event stream that answers a POST, as servers of MCP send it. It belongs to one request, so that it is not opened
 * again.
 */
export function readAnswerStream(response: Response, parts: AnswerStreamParts): EventStream {
  let broughtEvents = false;
  return new EventStream({
    ...parts,
    // The signal ends the reading, because the request is over.
    open: async (_, signal) =>
      new Response(response.body?.pipeThrough(new TransformStream(), { signal }) ?? null, response),
    onMessage(text) {
      broughtEvents = true;
      parts.onMessage(text);
    },
    onOpen: () => {},
    onBreak: () => {},
    onLost: (error) => parts.onEnd({ error, broughtEvents }),
    lateStatuses: [],
    firstDelayMs: 0,
    maxAttempts: 0,
  });
}

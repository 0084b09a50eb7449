import type { Message } from './jsonrpc.ts';
import { parseMessage } from './parse-message.ts';

/** An update's line up to the update itself, as agents write it: the same for every update of a session. */
const beginning =
  /^\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"method"\s*:\s*"session\/update"\s*,\s*"params"\s*:\s*\{\s*"sessionId"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"update"\s*:/;
const closingBrace = 0x7d;

/**
 * Knows how the last update's line began, so that of the next one only the update is parsed. A quarter of the time
 * that a replay takes to parse is its envelopes.
 *
 * Such a line is the beginning, one value, and `}}`. So if what stands between is one value, the line is the same
 * message as a parse of the whole would give; if it is not, that parse decides.
 */
export class UpdateEnvelope {
  #beginning: Uint8Array | undefined;
  #text = '';
  #sessionId = '';

  /** Learns from a line. A beginning counts when it comes twice in a row: updates of two sessions may take turns. */
  learn(line: string): void {
    const [text, sessionId] = beginning.exec(line) ?? [];
    if (text === undefined || sessionId === undefined) return;
    if (text === this.#text && typeof parseMessage(line.slice(text.length, -2)) !== 'string') {
      this.#beginning = new TextEncoder().encode(text);
      this.#sessionId = JSON.parse(sessionId);
    }
    this.#text = text;
  }

  /** Where the update begins in a line; nowhere if the line does not begin or end as known. */
  updateStart(bytes: Uint8Array, start: number, end: number): number | undefined {
    const known = this.#beginning;
    if (!known || bytes[end - 1] !== closingBrace || bytes[end - 2] !== closingBrace) return undefined;
    for (let at = 0; at < known.length; at++) if (bytes[start + at] !== known[at]) return undefined;
    return start + known.length;
  }

  /** The message that an update came in. */
  around(update: object): Message & { readonly method: string; readonly params: object } {
    return { jsonrpc: '2.0', method: 'session/update', params: { sessionId: this.#sessionId, update } };
  }
}

import { decodeUtf8, encodeUtf8, holdsAt } from './lines.ts';
import { maxDepth, parseMessage } from './parse-message.ts';

/**
 * The line of an update up to the update itself, as agents write it. It is the same for every update of a session.
 *
 * A session id with an escape does not match: V8 keeps a place on a stack for each repetition of a group, and throws
 * when a long id fills the stack.
 */
const beginning =
  /^\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"method"\s*:\s*"session\/update"\s*,\s*"params"\s*:\s*\{\s*"sessionId"\s*:\s*("[^"\\]*")\s*,\s*"update"\s*:/;

/** A longer beginning is not looked for, in UTF-16 code units. */
const maxBeginningLength = 1024;

const end = '}}';
const endBytes = encodeUtf8(end);

/**
 * Reads lines of updates that begin like the update before: only the update is parsed. Without this a quarter of the
 * time for parsing a replay goes into the envelopes.
 *
 * Such a line is the known beginning, one JSON value, and `}}`. If the part between is not one JSON value, the whole
 * line is parsed.
 */
export class UpdateEnvelope {
  /** The line up to the update, and the session in it. */
  #known: { readonly bytes: Uint8Array; readonly sessionId: string } | undefined;
  /** The beginning of the last line that was parsed as a whole. */
  #last = '';

  /**
   * Learns the beginning of a line that is a message, when it comes twice in a row. The updates of two sessions may
   * alternate.
   */
  learn(line: string): void {
    const [text, sessionId] = beginning.exec(line.slice(0, maxBeginningLength)) ?? [];
    if (text === undefined || sessionId === undefined) return;
    if (text === this.#last && typeof parseMessage(line.slice(text.length, -end.length)) !== 'string') {
      this.#known = { bytes: encodeUtf8(text), sessionId: JSON.parse(sessionId) };
    }
    this.#last = text;
  }

  /** Returns the message on a line, or `undefined` if the line has another form. */
  read(bytes: Uint8Array, lineStart: number, lineEnd: number): object | undefined {
    const known = this.#known;
    if (!known) return undefined;
    const updateEnd = lineEnd - endBytes.length;
    if (!holdsAt(bytes, updateEnd, endBytes) || !holdsAt(bytes, lineStart, known.bytes)) return undefined;
    const text = decodeUtf8(bytes, lineStart + known.bytes.length, updateEnd);
    const update = parseMessage(text, maxDepth - 2);
    if (typeof update === 'string') return undefined;
    const { sessionId } = known;
    return { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } };
  }
}

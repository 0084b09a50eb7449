import { decodeUtf8, viewOf } from './lines.ts';
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

/** Such a line ends with two closing braces. */
const endLength = 2;
const closeBrace = 0x7d;

/** How many bytes are compared at once. One byte after the other takes three times as long. */
const wordLength = 4;

/**
 * Reads lines of updates that begin like the update before: only the update is parsed. Without this a quarter of the
 * time for parsing a replay goes into the envelopes.
 *
 * Such a line is the known beginning, one JSON value, and `}}`. If the part between is not one JSON value, the whole
 * line is parsed.
 */
export class UpdateEnvelope {
  /** The line up to the update, and the session in it. */
  #known: { readonly text: KnownBytes; readonly sessionId: string } | undefined;
  /** The beginning of the last line that was parsed as a whole. */
  #last = '';

  /**
   * Learns the beginning of a line that is a message, when it comes twice in a row. The updates of two sessions may
   * alternate.
   */
  learn(line: string): void {
    const [text, sessionId] = beginning.exec(line.slice(0, maxBeginningLength)) ?? [];
    if (text === undefined || sessionId === undefined) return;
    if (text === this.#last && typeof parseMessage(line.slice(text.length, -endLength)) !== 'string') {
      this.#known = { text: knownBytes(new TextEncoder().encode(text)), sessionId: JSON.parse(sessionId) };
    }
    this.#last = text;
  }

  /** Returns the message on a line, or `undefined` if the line has another form. */
  read(bytes: Uint8Array, lineStart: number, lineEnd: number, view: DataView): object | undefined {
    const known = this.#known;
    if (!known) return undefined;
    const { text, sessionId } = known;
    const updateStart = lineStart + text.length;
    const updateEnd = lineEnd - endLength;
    if (updateStart > updateEnd || bytes[updateEnd] !== closeBrace || bytes[updateEnd + 1] !== closeBrace)
      return undefined;
    if (!holdsAt(view, lineStart, text)) return undefined;
    const update = parseMessage(decodeUtf8(bytes, updateStart, updateEnd), maxDepth - 2);
    if (typeof update === 'string') return undefined;
    return { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } };
  }
}

/** Bytes to compare with others, four or more. */
interface KnownBytes {
  readonly length: number;
  /** The whole words from the start on. */
  readonly words: readonly number[];
  /** The word that ends with the last byte. */
  readonly last: number;
}

function knownBytes(bytes: Uint8Array): KnownBytes {
  const view = viewOf(bytes);
  const { length } = bytes;
  const words: number[] = [];
  for (let at = 0; at + wordLength <= length; at += wordLength) words.push(view.getUint32(at));
  return { length, words, last: view.getUint32(length - wordLength) };
}

/** Whether these bytes are those from `start` on. */
function holdsAt(view: DataView, start: number, { length, words, last }: KnownBytes): boolean {
  for (let index = 0; index < words.length; index++) {
    if (view.getUint32(start + wordLength * index) !== words[index]) return false;
  }
  return view.getUint32(start + length - wordLength) === last;
}

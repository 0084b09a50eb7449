import type { Message } from './jsonrpc.ts';
import { decodeUtf8, encodeUtf8, holdsAt } from './lines.ts';
import { maxDepth, parseMessage } from './parse-message.ts';
import { StreamedString } from './streamed-string.ts';

/** An update's line up to the update itself, as agents write it: the same for every update of a session. */
const beginning =
  /^\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"method"\s*:\s*"session\/update"\s*,\s*"params"\s*:\s*\{\s*"sessionId"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"update"\s*:/;
const end = '}}';
const endBytes = encodeUtf8(end);

interface Envelope {
  /** The beginning, up to the update. */
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly sessionId: string;
  /** Of the updates that come in this envelope: what is learnt of another session's must not be taken for them. */
  readonly streamed: StreamedString;
}

/**
 * Knows how the last update's line began, so that of the next one only the update is parsed. A quarter of the time
 * that a replay takes to parse is its envelopes.
 *
 * Such a line is the beginning, one value, and `}}`. So if what stands between is one value, the line is the same
 * message as a parse of the whole would give; if it is not, that parse decides.
 */
export class UpdateEnvelope {
  #known: Envelope | undefined;
  /** How the last line began that was parsed as a whole. */
  #last = '';

  /** Learns from a line. A beginning counts when it comes twice in a row: updates of two sessions may take turns. */
  learn(line: string): void {
    const [text, sessionId] = beginning.exec(line) ?? [];
    if (text === undefined || sessionId === undefined) return;
    if (text === this.#last && typeof parseMessage(line.slice(text.length, -end.length)) !== 'string') {
      this.#known = {
        text,
        bytes: encodeUtf8(text),
        sessionId: JSON.parse(sessionId),
        streamed: new StreamedString(),
      };
    }
    this.#last = text;
  }

  /** The message in a line; nothing if the line is not as known, or is none. */
  read(bytes: Uint8Array, lineStart: number, lineEnd: number): Message | undefined {
    const known = this.#known;
    if (!known) return undefined;
    const streamed = known.streamed.read(bytes, lineStart, lineEnd);
    if (streamed) return around(known, streamed);
    const updateEnd = lineEnd - endBytes.length;
    if (!holdsAt(bytes, updateEnd, endBytes) || !holdsAt(bytes, lineStart, known.bytes)) return undefined;
    const text = decodeUtf8(bytes, lineStart + known.bytes.length, updateEnd);
    const update = parseMessage(text, maxDepth - 2);
    if (typeof update === 'string') return undefined;
    known.streamed.learn(known.text, text, end);
    return around(known, update);
  }
}

/** The message that an update came in. */
function around({ sessionId }: Envelope, update: object): Message {
  // Message is the library's loose type for whatever JSON-RPC object comes.
  return { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } } as Message;
}

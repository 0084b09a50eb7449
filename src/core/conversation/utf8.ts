// A byte order mark is a character of the output.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text that arrives as UTF-8 in pieces, which may end within a character. */
export interface Decoded {
  readonly text: string;
  /** The bytes of a character whose rest has not arrived: three at most. */
  readonly incomplete: readonly number[];
}

/** Decodes a piece. Bytes that are not UTF-8 become U+FFFD. @param before - `incomplete` of the piece before. */
export function decodeUtf8(before: readonly number[], piece: Uint8Array): Decoded {
  const bytes = before.length === 0 ? piece : Uint8Array.from([...before, ...piece]);
  // A character of one byte is complete.
  if ((bytes.at(-1) ?? 0) < 0x80) return { text: decoder.decode(bytes), incomplete: [] };
  const text = decoder.decode(bytes, { stream: true });
  // The end of the stream: what the decoder has kept becomes U+FFFD.
  const isIncomplete = decoder.decode() !== '';
  return { text, incomplete: isIncomplete ? [...bytes.subarray(bytes.findLastIndex(beginsCharacter))] : [] };
}

/** Whether a byte is the first of a character of several bytes. */
function beginsCharacter(byte: number): boolean {
  return byte >= 0xc0;
}

/** The first position in a text with at least this many bytes of UTF-8 before it. */
export interface TextPosition {
  readonly index: number;
  /** How many bytes are before it. */
  readonly bytes: number;
}

/** Finds the end of the character that has the byte before `target`. */
export function positionOf(text: string, target: number): TextPosition {
  let index = 0;
  let bytes = 0;
  while (bytes < target && index < text.length) {
    // The index is within the text.
    const character = text.codePointAt(index) as number;
    index += character > 0xffff ? 2 : 1;
    bytes += character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
  }
  return { index, bytes };
}

/** A text whose halves of characters without the other half are U+FFFD, as in UTF-8. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

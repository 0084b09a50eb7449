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
  const end = bytes.length - incompleteLength(bytes);
  return { text: decoder.decode(bytes.subarray(0, end)), incomplete: [...bytes.subarray(end)] };
}

/** How many bytes at the end are the beginning of a character. */
function incompleteLength(bytes: Uint8Array): number {
  for (let length = 1; length <= 3; length++) {
    const first = bytes.at(-length);
    if (first === undefined) return 0;
    // A byte that continues a character: the first one is further in front.
    if (first >= 0x80 && first < 0xc0) continue;
    const isBegun =
      length < characterLength(first) && (length === 1 || isSecond(first, bytes.at(1 - length)));
    return isBegun ? length : 0;
  }
  return 0;
}

/** How many bytes a character has, by its first byte. 0 for a byte that begins none. */
function characterLength(first: number): number {
  if (first < 0xc2 || first > 0xf4) return first < 0x80 ? 1 : 0;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** Whether a byte that continues a character can be the second one: some are never used. */
function isSecond(first: number, second = 0): boolean {
  if (first === 0xe0) return second >= 0xa0;
  if (first === 0xed) return second < 0xa0;
  if (first === 0xf0) return second >= 0x90;
  return first !== 0xf4 || second < 0x90;
}

/** Length of a text as UTF-8, in bytes. */
export const utf8Length: (text: string) => number =
  // `Buffer` does not copy the text.
  typeof Buffer === 'function' ? (text) => Buffer.byteLength(text) : (text) => encoder.encode(text).length;

const encoder = new TextEncoder();

/** The first position in a text with at least so many bytes of UTF-8 before it. */
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

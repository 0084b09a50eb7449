/** How many of the latest pieces a text keeps, and how many characters in them. */
const maxPieces = 256;
const maxCharacters = 16 * 1024;

/**
 * The part of a text that its pieces may be beyond that. What asks for a longer piece copies the whole text, which takes
 * a fixed multiple of the time for the piece.
 */
const keptPart = 1 / 8;

interface Piece {
  readonly start: number;
  readonly text: string;
}

/** One text that grows. Its versions are different objects. */
interface Growth {
  /** Length of the latest version. */
  length: number;
  /** The latest pieces, without gaps. */
  readonly pieces: Piece[];
  characters: number;
}

const growths = new WeakMap<object, Growth>();

/**
 * Records that the text of `after` is the text of `before` and a piece. Without the record, a diff has to compare both
 * texts, and V8 first copies a text that was extended into one piece of memory.
 *
 * @param start - Length of the text before the piece. Each version of the text has a length of its own.
 */
export function recordGrowth(before: object, after: object, start: number, text: string): void {
  if (text === '') return;
  let growth = growths.get(before);
  // A text that was extended twice from the same version has two continuations.
  if (growth?.length !== start) {
    growth = { length: start, pieces: [], characters: 0 };
    growths.set(before, growth);
  }
  growths.set(after, growth);
  growth.length += text.length;
  growth.pieces.push({ start, text });
  growth.characters += text.length;
  const allowed = Math.max(maxCharacters, growth.length * keptPart);
  while (growth.pieces.length > maxPieces || growth.characters > allowed) {
    growth.characters -= growth.pieces.shift()?.text.length ?? 0;
  }
}

/** Whether a text continues one that was recorded. */
export function isRecorded(text: object): boolean {
  return growths.has(text);
}

/** The text between two lengths of a growing text; `undefined` if its pieces are no longer kept. */
export function grownText(after: object, start: number, end: number): string | undefined {
  const pieces = growths.get(after)?.pieces ?? [];
  // Most programs ask for the latest piece.
  const first = pieces.findLastIndex((piece) => piece.start === start);
  if (first < 0) return undefined;
  const last = pieces.findIndex((piece) => piece.start >= end);
  return pieces
    .slice(first, last < 0 ? undefined : last)
    .map(({ text }) => text)
    .join('');
}

/**
 * What a text has beyond an earlier one; `undefined` if it does not continue it.
 *
 * @param holder - The object with the earlier text, and `grown` the one with the later text.
 */
export function addedText(holder: object, grown: object, before: string, after: string): string | undefined {
  const start = before.length;
  if (start > after.length) return undefined;
  const growth = growths.get(holder);
  const isKnown = growth !== undefined && growth === growths.get(grown);
  // `startsWith` is many times slower for long texts.
  const continues = isKnown || after.slice(0, start) === before;
  return continues ? (grownText(grown, start, after.length) ?? after.slice(start)) : undefined;
}

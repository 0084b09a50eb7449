import { addedText } from '../../core/conversation/growth.ts';
import { clean } from '../../core/render/clean.ts';

/** Longer lines are read in pieces of at least the first and at most the second number of characters. */
const minPiece = 4096;
const maxPiece = 8192;

/**
 * Reads a growing text line by line, each one once, without what a page would act on. Where a text is cut depends only on
 * the text.
 */
export class Segments {
  #text = '';
  #holder: object = {};
  /** What was not read at the end of the last call, and what came after it. */
  #ahead = '';
  /** The start of what was not read. */
  #start = 0;

  /**
   * Takes the text again, with more at its end. Returns whether it continues the one before.
   *
   * @param holder - The object with the text. The text of a conversation that grew is not compared.
   */
  continue(text: string, holder: object): boolean {
    const added = addedText(this.#holder, holder, this.#text, text);
    if (added === undefined) return false;
    this.#text = text;
    this.#holder = holder;
    this.#ahead = this.#ahead.slice(this.#start) + added;
    this.#start = 0;
    return true;
  }

  /** The next line, or piece of a long line. `undefined` if the text may continue it. */
  next(): string | undefined {
    const ahead = this.#ahead.slice(this.#start, this.#start + maxPiece);
    const length = segmentLength(ahead);
    if (length === 0) return undefined;
    this.#start += length;
    return clean(ahead.slice(0, length));
  }

  /** The line that the text does not end yet. Empty if it does. */
  rest(): string {
    return clean(this.#ahead.slice(this.#start));
  }
}

/** The length of the first line of a text, or of a piece of it. 0 if it depends on what follows. */
function segmentLength(ahead: string): number {
  const lineFeed = ahead.indexOf('\n') + 1;
  if (lineFeed > 0 && lineFeed <= minPiece) return lineFeed;
  const space = /[ \n]/g;
  space.lastIndex = minPiece;
  const found = space.exec(ahead);
  if (found) return found.index + 1;
  if (ahead.length < maxPiece) return 0;
  // A character of two code units is not cut.
  return /[\ud800-\udbff]$/.test(ahead) ? maxPiece - 1 : maxPiece;
}

/** The lines of a text, each with its line feed. */
export function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

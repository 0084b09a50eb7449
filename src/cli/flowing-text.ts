import { clean } from '../render/clean.ts';
import { columnsOf } from './columns.ts';

/** How much of a text is held back at its end, for the rest of a word or of an escape sequence. */
const maxHeldCharacters = 64;
const indent = '  ';

/**
 * Writes a text on a terminal as it grows: indented, broken at spaces, and clean. What is written cannot be taken
 * back, so that the last word waits until it is whole.
 */
export class FlowingText {
  readonly #write: (text: string) => void;
  readonly #paint: (text: string) => string;
  readonly #width: number;
  /** All that has come of the text, and how much of that was written. */
  #text = '';
  #written = 0;
  #column = 0;
  #isBegun = false;

  /** @param paint - Colours a word. */
  constructor(write: (text: string) => void, paint: (text: string) => string, width: number) {
    this.#write = write;
    this.#paint = paint;
    this.#width = width;
  }

  /** Whether `text` is what was taken so far, or goes on from it. */
  growsTo(text: string): boolean {
    return text.startsWith(this.#text);
  }

  /** Whether `text` is what was taken so far. */
  is(text: string): boolean {
    return text === this.#text;
  }

  /** Takes the text as it is now. */
  grow(text: string): void {
    this.#text = text;
    const waiting = text.slice(this.#written);
    this.#put(waiting.slice(0, endOfWhole(waiting)));
  }

  /** Writes what was held back, and ends the line. */
  flush(): void {
    this.#put(this.#text.slice(this.#written));
    if (this.#column > 0) this.#write('\n');
    this.#column = 0;
  }

  #put(raw: string): void {
    this.#written += raw.length;
    for (const piece of clean(raw).match(/\n| +|[^ \n]+/g) ?? []) this.#piece(piece);
  }

  #piece(piece: string): void {
    if (piece === '\n') {
      if (this.#isBegun) this.#write('\n');
      this.#column = 0;
      return;
    }
    const columns = columnsOf(piece);
    if (this.#column > indent.length && this.#column + columns > this.#width) {
      this.#write('\n');
      this.#column = 0;
      if (piece.startsWith(' ')) return;
    }
    this.#write((this.#column === 0 ? indent : '') + this.#paint(piece));
    this.#column = Math.max(this.#column, indent.length) + columns;
    this.#isBegun = true;
  }
}

/** How much of a text can be written before the rest of it has come. */
function endOfWhole(text: string): number {
  const sequence = text.indexOf('\x1b');
  if (sequence < 0) return heldFrom(text.search(/\S*$/), text.length);
  if (text.length - sequence <= maxHeldCharacters) {
    return heldFrom(text.slice(0, sequence).search(/\S*$/), sequence);
  }
  // No sequence is that long. Another may have begun since.
  return heldFrom(text.lastIndexOf('\x1b'), text.length);
}

/** Stops at `from`, to hold back what begins there, unless that is too much. */
function heldFrom(from: number, end: number): number {
  return end - from > maxHeldCharacters ? end : from;
}

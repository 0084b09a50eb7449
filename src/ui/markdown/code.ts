import { splitLines } from './segments.ts';

/** A piece of code ends at the first line feed after one of these. */
const pieceLines = 100;
const pieceCharacters = 8192;

/** Code that grows, in pieces. */
export class CodePieces {
  readonly #finished: string[] = [];
  #last = '';
  #lines = 0;

  push(text: string): void {
    this.#last += text;
    if (text.endsWith('\n')) this.#lines++;
    const isFull = this.#last.length >= pieceCharacters || this.#lines >= pieceLines;
    const canEnd = text.endsWith('\n') || this.#last.length >= 2 * pieceCharacters;
    if (!isFull || !canEnd) return;
    this.#finished.push(this.#last);
    this.#last = '';
    this.#lines = 0;
  }

  /** The pieces, the last one with what is not pushed yet. */
  with(rest: string): readonly string[] {
    const last = this.#last + rest;
    return last === '' ? this.#finished.slice() : [...this.#finished, last];
  }
}

/** The pieces of code that is there as a whole. */
export function piecesOf(code: string): readonly string[] {
  const pieces = new CodePieces();
  for (const line of splitLines(code)) pieces.push(line);
  return pieces.with('');
}

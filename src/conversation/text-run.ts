/** How many pieces are put together at a time. */
const batchLength = 512;

/**
 * Text that comes in small pieces. They are put together many at a time: joined one by one, a string stays a tree of
 * all its pieces until somebody reads it, at several times the memory of its text.
 */
export class TextRun {
  #text = '';
  #pieces: string[] = [];
  #began = false;

  /** Whether there is a text, be it an empty one. */
  get began(): boolean {
    return this.#began;
  }

  push(piece: string): void {
    this.#began = true;
    this.#pieces.push(piece);
    if (this.#pieces.length === batchLength) this.#join();
  }

  /** The whole text, and begins anew. */
  take(): string {
    this.#join();
    const text = this.#text;
    this.#text = '';
    this.#began = false;
    return text;
  }

  #join(): void {
    this.#text += this.#pieces.join('');
    this.#pieces = [];
  }
}

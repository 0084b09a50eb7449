/** How many pieces are joined at a time. */
const batchLength = 512;

/**
 * Text that arrives in small pieces, joined in batches. A string that is extended piece by piece keeps a tree of
 * all its pieces in memory until it is read, which takes several times the memory of the text.
 */
export class TextBuffer {
  #text = '';
  #pieces: string[] = [];
  #started = false;

  /** Whether a piece was pushed since the last `take`, including an empty one. */
  get started(): boolean {
    return this.#started;
  }

  push(piece: string): void {
    this.#started = true;
    this.#pieces.push(piece);
    if (this.#pieces.length === batchLength) this.#join();
  }

  /** Returns the whole text and clears the buffer. */
  take(): string {
    this.#join();
    const text = this.#text;
    this.#text = '';
    this.#started = false;
    return text;
  }

  #join(): void {
    this.#text += this.#pieces.join('');
    this.#pieces = [];
  }
}

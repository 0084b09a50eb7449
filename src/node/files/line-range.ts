const lineFeed = 0x0a;

/**
 * Selects lines from bytes that arrive in chunks. A line includes its line end, so adjacent ranges join to the text.
 */
export class LineRange {
  #linesToSkip: number;
  #linesToTake: number;
  readonly #parts: Buffer[] = [];
  #byteLength = 0;

  /**
   * @param line - The first line, counted from 1.
   * @param limit - The number of lines. `Infinity` selects all lines that follow.
   */
  constructor(line: number, limit: number) {
    this.#linesToSkip = line - 1;
    this.#linesToTake = limit;
  }

  /** Whether all lines of the range were found. */
  get complete(): boolean {
    return this.#linesToTake === 0;
  }

  /** The number of bytes selected so far. */
  get byteLength(): number {
    return this.#byteLength;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (; this.#linesToSkip > 0; this.#linesToSkip--) {
      const end = chunk.indexOf(lineFeed, start);
      if (end === -1) return;
      start = end + 1;
    }
    const end = this.#endOfLines(chunk, start);
    if (end === start) return;
    this.#parts.push(chunk.subarray(start, end));
    this.#byteLength += end - start;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #endOfLines(chunk: Buffer, start: number): number {
    if (this.#linesToTake === Number.POSITIVE_INFINITY) return chunk.length;
    let index = start;
    for (; this.#linesToTake > 0; this.#linesToTake--) {
      const end = chunk.indexOf(lineFeed, index);
      if (end === -1) return chunk.length;
      index = end + 1;
    }
    return index;
  }
}

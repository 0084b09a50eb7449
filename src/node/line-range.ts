const lineFeed = 0x0a;

/** Picks some lines out of bytes that come in pieces. A line keeps its end, so that adjoining ranges make up the text. */
export class LineRange {
  #linesToSkip: number;
  #linesToTake: number;
  readonly #parts: Buffer[] = [];
  #byteLength = 0;

  /** @param line the first line, counted from 1  @param limit how many lines; `Infinity` for all that follow */
  constructor(line: number, limit: number) {
    this.#linesToSkip = line - 1;
    this.#linesToTake = limit;
  }

  get complete(): boolean {
    return this.#linesToTake === 0;
  }

  /** How much has been picked. */
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
    let at = start;
    for (; this.#linesToTake > 0; this.#linesToTake--) {
      const end = chunk.indexOf(lineFeed, at);
      if (end === -1) return chunk.length;
      at = end + 1;
    }
    return at;
  }
}

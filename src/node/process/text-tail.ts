/**
 * The last bytes of a text. A ring buffer that grows up to its limit, so the cost of a push is independent of the past.
 */
export class TextTail {
  #limitBytes: number;
  readonly #grow: (fromBytes: number, toBytes: number) => number;
  #ring = Buffer.alloc(0);
  #start = 0;
  #length = 0;
  #truncated = false;

  /**
   * @param grow - Called before the buffer grows. Returns the size that it may have, from `fromBytes` to `toBytes`. The
   *   text is cut to this size.
   */
  constructor(
    limitBytes: number,
    grow: (fromBytes: number, toBytes: number) => number = (_fromBytes, toBytes) => toBytes,
  ) {
    this.#limitBytes = limitBytes;
    this.#grow = grow;
  }

  /** Whether text was removed from the beginning. */
  get truncated(): boolean {
    return this.#truncated;
  }

  push(text: string): void {
    let bytes = Buffer.from(text);
    this.#growTo(Math.min(this.#length + bytes.length, this.#limitBytes));
    if (bytes.length > this.#ring.length) {
      this.#truncated = true;
      bytes = bytes.subarray(bytes.length - this.#ring.length);
    }
    if (bytes.length === 0) return;
    const excess = this.#length + bytes.length - this.#ring.length;
    if (excess > 0) {
      this.#truncated = true;
      this.#start = (this.#start + excess) % this.#ring.length;
      this.#length -= excess;
    }
    const end = (this.#start + this.#length) % this.#ring.length;
    const copied = bytes.copy(this.#ring, end);
    bytes.copy(this.#ring, 0, copied);
    this.#length += bytes.length;
  }

  /** Removes the text, and keeps nothing from now on. Returns the size of the buffer. */
  discard(): number {
    const freedBytes = this.#ring.length;
    this.#limitBytes = 0;
    this.#ring = Buffer.alloc(0);
    this.#start = 0;
    this.#length = 0;
    return freedBytes;
  }

  /** The text that is kept. It begins with a whole character. */
  text(): string {
    const bytes = this.#linear();
    let start = 0;
    // A removed first byte leaves at most three continuation bytes of its character.
    if (this.#truncated) while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
    return bytes.toString('utf8', start);
  }

  #growTo(length: number): void {
    const { length: size } = this.#ring;
    if (length <= size) return;
    const newSize = this.#grow(size, Math.min(this.#limitBytes, Math.max(length, size * 2)));
    if (newSize === size) return;
    const grown = Buffer.alloc(newSize);
    this.#linear().copy(grown);
    this.#ring = grown;
    this.#start = 0;
  }

  #linear(): Buffer {
    const end = this.#start + this.#length;
    if (end <= this.#ring.length) return this.#ring.subarray(this.#start, end);
    return Buffer.concat([this.#ring.subarray(this.#start), this.#ring.subarray(0, end - this.#ring.length)]);
  }
}

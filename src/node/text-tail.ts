/**
 * The last bytes of a text, at most so many: a ring that grows up to its limit, so that a push costs what is pushed,
 * however much came before.
 */
export class TextTail {
  readonly #limitBytes: number;
  #ring = Buffer.alloc(0);
  #start = 0;
  #length = 0;
  #truncated = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Whether something was cut from the start. */
  get truncated(): boolean {
    return this.#truncated;
  }

  push(text: string): void {
    let bytes = Buffer.from(text);
    if (bytes.length > this.#limitBytes) {
      this.#truncated = true;
      bytes = bytes.subarray(bytes.length - this.#limitBytes);
    }
    if (bytes.length === 0) return;
    const excess = this.#length + bytes.length - this.#limitBytes;
    if (excess > 0) {
      this.#truncated = true;
      this.#start = (this.#start + excess) % this.#ring.length;
      this.#length -= excess;
    }
    this.#reserve(this.#length + bytes.length);
    const at = (this.#start + this.#length) % this.#ring.length;
    const copied = bytes.copy(this.#ring, at);
    bytes.copy(this.#ring, 0, copied);
    this.#length += bytes.length;
  }

  /** What is kept, from the first whole character on. */
  text(): string {
    const bytes = this.#linear();
    let start = 0;
    // A cut may fall inside a character, which is at most three continuation bytes long after its first byte.
    if (this.#truncated) while (start < 3 && isContinuation(bytes[start])) start++;
    return bytes.toString('utf8', start);
  }

  #reserve(length: number): void {
    if (length <= this.#ring.length) return;
    const grown = Buffer.alloc(Math.min(this.#limitBytes, Math.max(length, this.#ring.length * 2)));
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

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

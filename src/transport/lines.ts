/** Reads a line where it stands: the bytes from `start` to `end`, without the line feed. */
export type ReadLine<T> = (bytes: Uint8Array, start: number, end: number) => T;

/** A `Buffer` with the slice behind its `toString`, which is in every Node and in no documentation. */
type Sliceable = Buffer & { utf8Slice(start: number, end: number): string };

/**
 * Where bytes become text. Node's own slice is several times faster than `TextDecoder` on short lines, and called
 * without the look-up of an encoding it takes half the time of `toString`.
 */
export const decodeUtf8: ReadLine<string> =
  typeof Buffer !== 'function'
    ? (
        (decoder) => (bytes, start, end) =>
          decoder.decode(bytes.subarray(start, end))
      )(new TextDecoder())
    : 'utf8Slice' in Buffer.prototype
      ? // It was looked for in the line above.
        (bytes, start, end) => (asBuffer(bytes) as Sliceable).utf8Slice(start, end)
      : (bytes, start, end) => asBuffer(bytes).toString('utf8', start, end);

/** The bytes of a text. */
export const encodeUtf8: (text: string) => Uint8Array =
  typeof Buffer === 'function'
    ? (text) => Buffer.from(text)
    : (
        (encoder) => (text) =>
          encoder.encode(text)
      )(new TextEncoder());

/** Whether `known` stands at `at`. Above a few bytes Node's own comparison is several times faster than a loop. */
export function holdsAt(bytes: Uint8Array, at: number, known: Uint8Array): boolean {
  const { length } = known;
  if (length > 16 && typeof Buffer === 'function') {
    return at + length <= bytes.length && asBuffer(bytes).compare(known, 0, length, at, at + length) === 0;
  }
  for (let index = 0; index < length; index++) if (bytes[at + index] !== known[index]) return false;
  return true;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const lineFeed = 0x0a;

/** A line that is longer than the limit. The decoder delivers nothing after it. */
export const tooLong: unique symbol = Symbol('too long');

/**
 * Cuts bytes into lines at the byte 0x0A, lazily: a line is decoded when it is taken.
 *
 * Cutting bytes, not text, keeps a UTF-8 sequence that two chunks share whole, and U+2028 inside a line. A line
 * over many chunks is put together once, at its end, so that its cost is linear in its length.
 */
export class LineDecoder {
  readonly #maxLineBytes: number;
  #chunks: Uint8Array[] = [];
  #next = 0;
  #offset = 0;
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #queuedBytes = 0;
  #broken = false;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Bytes that were pushed and not yet looked at. The part of a line whose end is still to come does not count. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#broken || chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#queuedBytes += chunk.length;
  }

  /** The next whole line without its end; {@link tooLong} once when a line passes the limit; or nothing. */
  take(): string | typeof tooLong | undefined {
    return this.takeAs(decodeUtf8);
  }

  /** As {@link take}, with the line as `read` reads it. */
  takeAs<T>(read: ReadLine<T>): T | typeof tooLong | undefined {
    for (;;) {
      const chunk = this.#chunks[this.#next];
      if (chunk === undefined) {
        this.#chunks = [];
        this.#next = 0;
        return undefined;
      }
      const start = this.#offset;
      const end = chunk.indexOf(lineFeed, start);
      const length = (end === -1 ? chunk.length : end) - start;
      if (this.#partBytes + length > this.#maxLineBytes) {
        this.#broken = true;
        this.#reset();
        return tooLong;
      }
      if (end === -1) {
        this.#queuedBytes -= length;
        this.#keep(chunk, start);
        this.#advance();
        continue;
      }
      this.#offset = end + 1;
      this.#queuedBytes -= length + 1;
      if (this.#offset === chunk.length) this.#advance();
      if (this.#parts.length === 0) return read(chunk, start, end);
      this.#keep(chunk.subarray(0, end), start);
      const whole = this.#join();
      return read(whole, 0, whole.length);
    }
  }

  /** What stands after the last line feed, when nothing more will come. */
  rest(): string {
    const whole = this.#join();
    return decodeUtf8(whole, 0, whole.length);
  }

  #keep(chunk: Uint8Array, start: number): void {
    const part = start === 0 ? chunk : chunk.subarray(start);
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#partBytes += part.length;
  }

  #advance(): void {
    this.#next++;
    this.#offset = 0;
    // A spent chunk must not stay alive as long as the queue does; moving the queue down each time would be quadratic.
    if (this.#next > 64) {
      this.#chunks = this.#chunks.slice(this.#next);
      this.#next = 0;
    }
  }

  #join(): Uint8Array {
    const whole = new Uint8Array(this.#partBytes);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#partBytes = 0;
    return whole;
  }

  #reset(): void {
    this.#chunks = [];
    this.#next = 0;
    this.#offset = 0;
    this.#parts = [];
    this.#partBytes = 0;
    this.#queuedBytes = 0;
  }
}

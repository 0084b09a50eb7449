import { Queue } from '../base/queue.ts';

/** Reads a line in place: the bytes from `start` to `end`, without the line feed. `view` shows the same bytes. */
export type ReadLine<T> = (bytes: Uint8Array, start: number, end: number, view: DataView) => T;

/** A `Buffer` with the function behind its `toString`, which Node has and does not document. */
type Sliceable = Buffer & { utf8Slice(start: number, end: number): string };

/**
 * Decodes bytes. On short lines Node's own slice is several times faster than `TextDecoder`. It takes half the time of
 * `toString`, which looks up the encoding.
 */
export const decodeUtf8: (bytes: Uint8Array, start: number, end: number) => string =
  typeof Buffer !== 'function'
    ? (
        (decoder) => (bytes, start, end) =>
          decoder.decode(bytes.subarray(start, end))
      )(new TextDecoder())
    : 'utf8Slice' in Buffer.prototype
      ? // The line above has checked that it exists.
        (bytes, start, end) => (asBuffer(bytes) as Sliceable).utf8Slice(start, end)
      : (bytes, start, end) => asBuffer(bytes).toString('utf8', start, end);

/** A view of the same bytes. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const lineFeed = 0x0a;

/** Stands for a line that is longer than the limit. The decoder returns nothing after it. */
export const tooLong: unique symbol = Symbol('too long');

/**
 * Splits bytes into lines at the byte 0x0A. A line is decoded when it is taken.
 *
 * Splitting bytes instead of text keeps UTF-8 sequences whole that continue in the next chunk, and U+2028 within a
 * line. The parts of a line are joined once, when its end has arrived, so that the cost is linear in its length.
 */
export class LineDecoder {
  readonly #maxLineBytes: number;
  readonly #chunks = new Queue<Uint8Array>();
  /** The chunk that is being scanned, from `#offset` on. */
  #chunk: Uint8Array | undefined;
  /** Shows the bytes of that chunk. */
  #view: DataView | undefined;
  #offset = 0;
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #queuedBytes = 0;
  #broken = false;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Bytes that were pushed and not scanned yet. The beginning of a line whose end has not arrived does not count. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#broken || chunk.length === 0) return;
    this.#chunks.add(chunk);
    this.#queuedBytes += chunk.length;
  }

  /**
   * Returns the next whole line without its line feed, or `undefined`. Returns {@link tooLong} once, for a line over
   * the limit.
   */
  take(): string | typeof tooLong | undefined {
    return this.takeAs(decodeUtf8);
  }

  /** As {@link take}, with the line read by `read`. */
  takeAs<T>(read: ReadLine<T>): T | typeof tooLong | undefined {
    for (;;) {
      this.#chunk ??= this.#chunks.take();
      const chunk = this.#chunk;
      if (!chunk) return undefined;
      this.#view ??= viewOf(chunk);
      const view = this.#view;
      const start = this.#offset;
      const end = chunk.indexOf(lineFeed, start);
      const length = (end === -1 ? chunk.length : end) - start;
      if (this.#partBytes + length > this.#maxLineBytes) {
        this.#broken = true;
        this.#chunks.clear();
        this.#advance();
        this.#parts = [];
        this.#partBytes = 0;
        this.#queuedBytes = 0;
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
      if (this.#parts.length === 0) return read(chunk, start, end, view);
      this.#keep(chunk.subarray(0, end), start);
      const whole = this.#join();
      return read(whole, 0, whole.length, viewOf(whole));
    }
  }

  /** Returns what follows the last line feed. To be called when the input has ended. */
  rest(): string {
    const whole = this.#join();
    return decodeUtf8(whole, 0, whole.length);
  }

  #keep(chunk: Uint8Array, start: number): void {
    const part = chunk.subarray(start);
    this.#parts.push(part);
    this.#partBytes += part.length;
  }

  #advance(): void {
    this.#chunk = undefined;
    this.#view = undefined;
    this.#offset = 0;
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
}

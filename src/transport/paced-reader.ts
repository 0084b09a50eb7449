import type { Diagnostic } from '../diagnostic.ts';
import { AbstractMessageReader, type DataCallback, type Disposable, type Message } from './jsonrpc.ts';
import { macrotask } from './macrotask.ts';

/** How long one stretch of reading may hold the event loop. */
const sliceMs = 8;
/** Reading the clock costs as much as handling a small message, so it is read once for so many. */
const messagesPerClockReading = 8;

/** Something was taken that is no message: it costs time like one. */
export const skipped: unique symbol = Symbol('skipped');

/**
 * A reader that delivers messages one by one, in order, and can be held between two of them.
 *
 * Messages are taken from what arrived only when they are due: a stretch of reading ends after a few milliseconds
 * and goes on after the event loop had its turn, so that a long replay never freezes an editor.
 */
export abstract class PacedReader extends AbstractMessageReader {
  /** Takes what is wrong with the bytes and nobody awaits. */
  onDiagnostic: ((diagnostic: Diagnostic) => void) | undefined;
  #callback: DataCallback | undefined;
  #held = false;
  #running = false;
  #scheduled = false;
  #ended = false;
  #closed = false;

  /** The next message that has arrived whole, or nothing. Never throws: what is no message is reported and skipped. */
  protected abstract take(): Message | typeof skipped | undefined;

  /** Whether the source may send on: told when a stretch of reading ends. */
  protected abstract paced(): void;

  /** Calls `callback` for each message. One listener only; whatever arrived before is delivered first. */
  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    this.schedule();
    return { dispose: () => this.stop() };
  }

  /** Delivers nothing more until {@link release}. May be called from within the callback. */
  hold(): void {
    this.#held = true;
  }

  /** Goes on delivering. What waits is delivered at once. */
  release(): void {
    this.#held = false;
    this.run();
  }

  override dispose(): void {
    this.stop();
    super.dispose();
  }

  /** Delivers nothing more, ever. */
  protected stop(): void {
    this.#callback = undefined;
  }

  /** Nothing more will arrive: closes once what has arrived is delivered. */
  protected end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.schedule();
  }

  protected schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    macrotask(() => {
      this.#scheduled = false;
      this.run();
    });
  }

  protected run(): void {
    if (this.#running || this.#held || !this.#callback) return;
    this.#running = true;
    let drained = false;
    let deadline = 0;
    for (let count = 0; !this.#held && this.#callback; count++) {
      if (count % messagesPerClockReading === 0) {
        const now = performance.now();
        if (deadline === 0) deadline = now + sliceMs;
        else if (now >= deadline) {
          this.schedule();
          break;
        }
      }
      const message = this.take();
      if (message === undefined) {
        drained = true;
        break;
      }
      if (message === skipped) continue;
      try {
        this.#callback(message);
      } catch (error) {
        this.fireError(error);
      }
    }
    this.#running = false;
    this.paced();
    if (drained && this.#ended && !this.#closed) {
      this.#closed = true;
      this.fireClose();
    }
  }
}

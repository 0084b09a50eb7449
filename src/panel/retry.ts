import { unrefTimer } from '../wait.ts';

/** The shortest, the first and the longest pause between two messages, in milliseconds. */
const shortestMs = 200;
const firstMs = 500;
const longestMs = 10_000;

/** Repeats a message until it is answered, with growing pauses. The timer does not keep a Node process running. */
export class Retry {
  readonly #send: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauseMs = firstMs;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(send: () => void) {
    this.#send = send;
  }

  /** Sends the message, unless it was sent and waits for its answer. */
  start(): void {
    if (this.#timer === undefined) this.#sendAndWait();
  }

  /** Sends the message because there is news. At once, or after the shortest pause. */
  soon(): void {
    const sinceMs = performance.now() - this.#sentAt;
    clearTimeout(this.#timer);
    this.#pauseMs = firstMs;
    if (sinceMs >= shortestMs) this.#sendAndWait();
    else this.#wait(shortestMs - sinceMs);
  }

  /** The message was answered. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pauseMs = firstMs;
  }

  #sendAndWait(): void {
    this.#sentAt = performance.now();
    this.#wait(this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestMs);
    this.#send();
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#sendAndWait(), ms);
    unrefTimer(this.#timer);
  }
}

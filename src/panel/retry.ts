/** The first pause, and the longest, in milliseconds. */
const firstMs = 500;
const longestMs = 10_000;

/** Repeats a message until it is answered, with growing pauses. The timer does not keep a Node process running. */
export class Retry {
  readonly #send: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauseMs = firstMs;

  constructor(send: () => void) {
    this.#send = send;
  }

  /** Sends the message, unless it was just sent and is waiting for its answer. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#wait();
    this.#send();
  }

  /** The message was answered. The next one is sent at once, unless this one was answered wrongly again and again. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pauseMs = firstMs;
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.start();
    }, this.#pauseMs);
    // Only the timers of Node have it.
    (this.#timer as { unref?: () => unknown }).unref?.();
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestMs);
  }
}

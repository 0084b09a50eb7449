import { backOffMs } from '../../core/base/wait.ts';
import { backgroundTimer } from './frame-timer.ts';

/** The shortest pause between two questions, in milliseconds. */
const shortestMs = 200;
const pauses = { firstDelayMs: 1000, maxDelayMs: 10_000 };

/** Asks the other end again and again, with growing pauses, as long as something is open. */
export class Pulse {
  readonly #ask: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How often it has asked since it was stopped. */
  #attempt = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(ask: () => void) {
    this.#ask = ask;
  }

  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  /** Asks because something is missing: at once, or after the shortest pause. */
  soon(): void {
    const sinceMs = performance.now() - this.#askedAt;
    this.stop();
    if (sinceMs >= shortestMs) this.#askAndWait();
    else this.#wait(shortestMs - sinceMs);
  }

  /** Asks if nothing happens within the pause. Does nothing while it waits already. */
  later(): void {
    if (this.#timer === undefined) this.#wait(backOffMs(this.#attempt, pauses));
  }

  /** There is nothing to ask for. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#attempt = 0;
  }

  #askAndWait(): void {
    this.#askedAt = performance.now();
    this.#wait(backOffMs(this.#attempt++, pauses));
    this.#ask();
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = backgroundTimer(() => this.#askAndWait(), ms);
  }
}

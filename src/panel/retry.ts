import { backOffMs } from '../base/wait.ts';
import { backgroundTimer } from './frame.ts';

/** The shortest pause between two messages, in milliseconds. */
const shortestMs = 200;
const pauses = { firstDelayMs: 1000, maxDelayMs: 10_000 };

/**
 * Asks the other end again and again, with growing pauses, as long as something is open.
 */
export class Retry {
  readonly #ask: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How often it has asked since it was stopped. */
  #attempt = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #unanswered = 0;

  constructor(ask: () => void) {
    this.#ask = ask;
  }

  /** How often it has asked since the other end was heard. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** The other end was heard. */
  heard(): void {
    this.#unanswered = 0;
  }

  /** Asks at once. */
  now(): void {
    this.stop();
    this.#askAndWait();
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
    this.#unanswered++;
    this.#wait(backOffMs(this.#attempt++, pauses));
    this.#ask();
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = backgroundTimer(() => this.#askAndWait(), ms);
  }
}

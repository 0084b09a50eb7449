import { TimeoutError } from '../errors.ts';
import type { Surroundings } from './ask-user.ts';

/** Watches a turn: aborts it when nothing has come from the agent for too long. The user may take any time. */
export class SilenceWatch implements Surroundings {
  readonly #timeoutMs: number | undefined;
  readonly #control = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isTurn = false;
  #pauses = 0;

  /**
   * @param timeoutMs - How long is too long. Absent: nothing is.
   * @param leaving - Aborts the turn too.
   */
  constructor(timeoutMs: number | undefined, leaving: AbortSignal) {
    this.#timeoutMs = timeoutMs;
    leaving.addEventListener('abort', () => this.#control.abort(leaving.reason), { once: true });
  }

  /** Aborted with a `TimeoutError`, or with why the user leaves. */
  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** The turn begins. */
  start(): void {
    this.#isTurn = true;
    this.#wait();
  }

  /** The turn has ended. */
  stop(): void {
    this.#isTurn = false;
    clearTimeout(this.#timer);
  }

  /** The agent said something. */
  heard(): void {
    if (this.#isTurn && this.#pauses === 0) this.#timer?.refresh();
  }

  pause(): void {
    this.#pauses++;
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#pauses--;
    if (this.#isTurn && this.#pauses === 0) this.#wait();
  }

  #wait(): void {
    if (this.#timeoutMs === undefined) return;
    const timeoutMs = this.#timeoutMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const message = `The agent said nothing for ${timeoutMs} ms.`;
      this.#control.abort(new TimeoutError(message, { method: 'session/prompt', timeoutMs }));
    }, timeoutMs);
  }
}

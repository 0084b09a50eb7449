import { maxTimerMs } from '../wait.ts';

/** How often the watch looks, in parts of the time it waits. */
const looksPerStall = 4;

/**
 * Notices when nothing comes from an agent while a turn is under way and it waits for nothing of ours. A message
 * costs the watch one addition: the clock is looked at now and then, and only during a turn.
 */
export class StallWatch {
  readonly #stallAfterMs: number;
  readonly #onStall: () => void;
  #heard = 0;
  #serving = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param stallAfterMs - `Infinity`: it never looks. */
  constructor(stallAfterMs: number, onStall: () => void) {
    this.#stallAfterMs = stallAfterMs;
    this.#onStall = onStall;
  }

  /** A message came. */
  heard(): void {
    this.#heard++;
  }

  /** A request of the agent's is being handled: until it is answered it is not the agent that is slow. */
  serve(answer: Promise<unknown>): void {
    this.#serving++;
    const done = () => {
      this.#serving--;
      this.#heard++;
    };
    answer.then(done, done);
  }

  /** A turn is under way. */
  start(): void {
    const stepMs = this.#stallAfterMs / looksPerStall;
    if (this.#timer !== undefined || stepMs > maxTimerMs) return;
    let heard = this.#heard;
    let quietLooks = 0;
    const look = () => {
      this.#timer = setTimeout(look, stepMs);
      if (heard !== this.#heard || this.#serving > 0) {
        heard = this.#heard;
        quietLooks = 0;
      } else if (++quietLooks === looksPerStall) this.#onStall();
    };
    this.#timer = setTimeout(look, stepMs);
  }

  /** No turn is under way any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

import { unrefTimer } from '../../core/base/wait.ts';

/** About one frame of a screen, in milliseconds. */
export const frameMs = 16;

/** Starts a timer that does not keep a Node process running. */
export function backgroundTimer(task: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(task, ms);
  unrefTimer(timer);
  return timer;
}

/** Runs a task once for all that happens within a frame. */
export class Frame {
  readonly #task: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(task: () => void) {
    this.#task = task;
  }

  /** Runs the task at the end of the frame. */
  request(): void {
    if (this.#isStopped || this.#timer !== undefined) return;
    this.#timer = backgroundTimer(() => this.runNow(), frameMs);
  }

  /** Runs the task now, and not at the end of the frame. */
  runNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isStopped) this.#task();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#isStopped = true;
  }
}

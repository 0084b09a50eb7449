/** Waits until nothing has happened for a while. */
export class Quiet {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  #stopWaiting = () => {};

  /** Something happened: whoever waits, waits on. */
  disturb(): void {
    this.#timer?.refresh();
  }

  /** Nothing more can happen: nobody waits any more. */
  stop(): void {
    this.#isOver = true;
    this.#stopWaiting();
  }

  /** Resolves when nothing has happened for `quietMs`, after `maxMs` all the same, and at once when aborted. */
  wait(quietMs: number, maxMs: number, signal: AbortSignal): Promise<void> {
    if (quietMs === 0 || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(this.#timer);
        // Refreshing it would set it again.
        this.#timer = undefined;
        clearTimeout(limit);
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#stopWaiting = end;
      this.#timer = setTimeout(end, quietMs);
      const limit = setTimeout(end, maxMs);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
  }
}

/** Waits until nothing has happened for a while. */
export class Quiet {
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Something happened: whoever waits, waits on. */
  disturb(): void {
    this.#timer?.refresh();
  }

  /** Resolves when nothing has happened for `quietMs`, after `maxMs` all the same, and at once when aborted. */
  wait(quietMs: number, maxMs: number, signal: AbortSignal): Promise<void> {
    if (quietMs === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(this.#timer);
        // Refreshing it would set it again.
        this.#timer = undefined;
        clearTimeout(limit);
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#timer = setTimeout(end, quietMs);
      const limit = setTimeout(end, maxMs);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
  }
}

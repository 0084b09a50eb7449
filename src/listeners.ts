/**
 * Listeners of one event, called in the order in which they were added. A listener that throws does not keep the
 * others from being called. The same function can be added twice; each registration is removed by itself.
 */
export class ListenerSet<T extends readonly unknown[]> {
  readonly #listeners = new Set<{ readonly call: (...event: T) => void }>();
  readonly #onError: (error: unknown) => void;

  /** @param onError - Takes what a listener throws. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Adds a listener, and returns the function that removes it. */
  add(call: (...event: T) => void): () => void {
    const listener = { call };
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Calls the listeners that are registered now. A listener that another one removes meanwhile is not called. */
  notify(...event: T): void {
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      try {
        listener.call(...event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}

/**
 * Calls a function of the editor that only listens. `onError` takes what it throws, and what the promise rejects with
 * that an async function returns: TypeScript accepts an async function as a listener, and a rejection that is not
 * handled ends the program.
 */
export function callListener(listener: () => unknown, onError: (error: unknown) => void): void {
  try {
    const returned = listener();
    if (isThenable(returned)) Promise.resolve(returned).catch(onError);
  } catch (error) {
    onError(error);
  }
}

/** A listener for errors. There is no further listener for its own: what it throws or rejects with is ignored. */
export function listenerForErrors<T>(listener: (error: T) => unknown): (error: T) => void {
  const ignore = () => {};
  return (error) => callListener(() => listener(error), ignore);
}

/** Whether `await` waits for the value. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function';
}

/**
 * Listeners of one event, called in the order in which they were added. A listener that fails does not keep the
 * others from being called. The same function can be added twice; each registration is removed by itself.
 */
export class ListenerSet<T extends readonly unknown[]> {
  readonly #listeners = new Set<{ readonly call: (...event: T) => unknown }>();
  readonly #onError: (error: unknown) => void;

  /** @param onError - Takes the error of a listener, see {@link callListener}. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Adds a listener, and returns the function that removes it. */
  add(call: (...event: T) => unknown): () => void {
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
      callListener(() => listener.call(...event), this.#onError);
    }
  }
}

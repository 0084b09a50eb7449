import { onAbort } from '../../core/base/wait.ts';
import { assertNotWithdrawn, withdrawn } from '../../core/client/requests/file-answers.ts';

/** Limits how many tasks run at once. The others wait in the order of their calls. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs a task when a slot is free. Rejects if `signal` is aborted before that. */
  async run<T>(signal: AbortSignal | undefined, task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    try {
      assertNotWithdrawn(signal);
      return await task();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  /** Resolves when the slot of another task was passed on. */
  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const proceed = () => {
        this.#waiting.delete(proceed);
        stopListening();
        resolve();
      };
      const stopListening = onAbort(signal, () => {
        if (this.#waiting.delete(proceed)) reject(withdrawn());
      });
      this.#waiting.add(proceed);
    });
  }
}

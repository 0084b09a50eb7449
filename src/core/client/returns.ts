import { deferred } from '../base/wait.ts';
import type { ConnectionState } from './connection.ts';
import type { RegisteredSession } from './session/registered-session.ts';

/** What can be lost, and return. */
interface Losable {
  readonly state: () => ConnectionState;
  readonly session: (sessionId: string) => RegisteredSession | undefined;
}

/** Lets lost calls wait until the connection and their session have returned. */
export class Returns {
  readonly #parts: Losable;
  #change = deferred();

  constructor(parts: Losable) {
    this.#parts = parts;
  }

  /** The connection, or a session, is open again or over. */
  changed(): void {
    const { resolve } = this.#change;
    this.#change = deferred();
    resolve();
  }

  /** Resolves to whether they have returned. `false` at once if nothing of these was lost. */
  async wait(sessionId: unknown): Promise<boolean> {
    const { state, session } = this.#parts;
    const runner = session(String(sessionId))?.runner;
    if (state() === 'open' && !runner?.state.isDetached) return false;
    // A session that is being closed is not opened again: the call that closes it is.
    const isReturning = () =>
      state() === 'reconnecting' ||
      (runner?.state.isDetached && runner.status !== 'closed' && runner.status !== 'closing');
    while (isReturning()) await Promise.race([this.#change.promise, ...(runner ? [runner.closed] : [])]);
    return state() === 'open' && runner?.status !== 'closed';
  }
}

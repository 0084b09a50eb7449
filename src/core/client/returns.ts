import { ConnectionClosedError } from '../base/errors.ts';
import { deferred } from '../base/wait.ts';
import type { ConnectionState } from './connection.ts';
import type { RegisteredSession } from './session/runner.ts';

/** What can be lost, and return. */
interface Losable {
  readonly state: () => ConnectionState;
  readonly session: (sessionId: string) => RegisteredSession | undefined;
}

/** Lets calls wait until the connection and its sessions have returned. */
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

  /**
   * Resolves when the connection takes calls and none of its sessions is being opened again.
   *
   * @param rejoined - Resolves when the sessions that are being opened again are open. Returns `undefined` if none is.
   * @throws {@link ConnectionClosedError} if the connection has ended.
   */
  async ready(rejoined: () => Promise<unknown> | undefined): Promise<void> {
    const { state } = this.#parts;
    for (let wait: unknown = true; wait; ) {
      wait = state() === 'reconnecting' ? this.#change.promise : rejoined();
      await wait;
    }
    if (state() === 'open') return;
    throw new ConnectionClosedError('The connection is closed. Connect again to continue.');
  }
}

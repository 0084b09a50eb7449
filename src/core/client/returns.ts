import { ConnectionClosedError } from '../base/errors.ts';
import { deferred } from '../base/wait.ts';
import type { ConnectionState } from './connection.ts';
import type { SessionRunner } from './session/runner.ts';

/** Lets calls wait until the connection and its sessions have returned. */
export function returns(
  state: () => ConnectionState,
  find: (sessionId: string) => SessionRunner | undefined,
) {
  let change = deferred();
  return {
    /** The connection, or a session, is open again or over. */
    changed(): void {
      const { resolve } = change;
      change = deferred();
      resolve();
    },

    /** Resolves to whether they have returned. `false` at once if nothing of these was lost. */
    async wait(sessionId: unknown): Promise<boolean> {
      const runner = find(String(sessionId));
      if (state() === 'open' && !runner?.state.isDetached) return false;
      // A session that is being closed is not opened again: the call that closes it is.
      const isReturning = () =>
        state() === 'reconnecting' ||
        (runner?.state.isDetached && runner.status !== 'closed' && runner.status !== 'closing');
      while (isReturning()) await Promise.race([change.promise, ...(runner ? [runner.closed] : [])]);
      return state() === 'open' && runner?.status !== 'closed';
    },

    /**
     * Resolves when the connection takes calls and none of its sessions is being opened again.
     *
     * @param rejoined - Resolves when the sessions that are being opened again are open. Returns `undefined` if none is.
     * @throws {@link ConnectionClosedError} if the connection has ended.
     */
    async ready(rejoined: () => Promise<unknown> | undefined): Promise<void> {
      for (let wait: unknown = true; wait; ) {
        wait = state() === 'reconnecting' ? change.promise : rejoined();
        await wait;
      }
      if (state() === 'open') return;
      throw new ConnectionClosedError('The connection is closed. Connect again to continue.');
    },
  };
}

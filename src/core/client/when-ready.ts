import { ConnectionClosedError } from '../base/errors.ts';
import type { ClientConnection } from './connection.ts';

/**
 * Resolves when a connection takes calls and none of its sessions is being opened again.
 *
 * @param rejoined - Resolves when the sessions that are being opened again are open. Returns `undefined` if none is.
 * @throws {@link ConnectionClosedError} if it has ended.
 */
export async function whenReady(
  connection: ClientConnection,
  rejoined: () => Promise<unknown> | undefined,
): Promise<void> {
  const stateChange = () =>
    new Promise<void>((resolve) => {
      const stop = connection.onStateChange(() => {
        stop();
        resolve();
      });
    });
  for (let wait: unknown = true; wait; ) {
    wait = connection.state === 'reconnecting' ? stateChange() : rejoined();
    await wait;
  }
  if (connection.state === 'open') return;
  throw new ConnectionClosedError('The connection is closed. Connect again to continue.');
}

import type { PanelChannel } from '../../../panel/channel.ts';
import type { Server } from './server.ts';

/** The page's end of the panel over HTTP: a stream from the host, and a POST for each message to it. */
export function httpChannel(server: Server): PanelChannel {
  const listeners = new Set<(message: unknown) => void>();
  const stop = new AbortController();
  // One after the other, so that they arrive in order.
  let sent: Promise<unknown> = Promise.resolve();
  const ended = server
    .lines('/panel', stop.signal, (line) => {
      for (const listener of listeners) listener(line);
    })
    .catch(() => {});
  return {
    ended,
    post(message) {
      const body = JSON.stringify(message);
      sent = sent.catch(() => {}).then(() => server.post('/panel', body));
      return sent;
    },
    listen(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop.abort();
      };
    },
  };
}
